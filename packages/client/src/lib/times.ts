const DAY_MS = 24 * 60 * 60 * 1000;

export function formatTime(at: number): string {
  return new Date(at).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });
}

/** The time for today, the day for anything older. */
export function formatMoment(at: number): string {
  const date = new Date(at);
  const today = date.toDateString() === new Date().toDateString();
  return today ? formatTime(at) : date.toLocaleDateString([], { day: "numeric", month: "short" });
}

export function formatDay(at: number): string {
  return new Date(at).toLocaleDateString([], { day: "numeric", month: "short", year: "numeric" });
}

/** "now", "5m", "3h", "2d" */
export function formatAge(at: number, now = Date.now()): string {
  const minutes = Math.floor(Math.max(now - at, 0) / 60_000);
  if (minutes < 1) return "now";
  if (minutes < 60) return `${minutes}m`;
  if (minutes < 24 * 60) return `${Math.floor(minutes / 60)}h`;
  return `${Math.floor(minutes / (24 * 60))}d`;
}

export type Period = "Today" | "Yesterday" | "Last 7 days" | "Older";

export function periodOf(at: number, now = Date.now()): Period {
  const midnight = new Date(now).setHours(0, 0, 0, 0);
  if (at >= midnight) return "Today";
  if (at >= midnight - DAY_MS) return "Yesterday";
  return at >= midnight - 7 * DAY_MS ? "Last 7 days" : "Older";
}
