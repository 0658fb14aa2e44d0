// Before the first paint: who chose a theme must not see the other one flash. `preferences-store.ts` keeps the choice.
try {
  const { theme } = JSON.parse(localStorage.getItem("agent-ops.preferences") ?? "{}");
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
} catch {
  // A browser that keeps nothing, or something else in its place.
}
