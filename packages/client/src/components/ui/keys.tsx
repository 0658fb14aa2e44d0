const APPLE = typeof navigator !== "undefined" && /Mac|iPhone|iPad/.test(navigator.userAgent);

/** Keys as they are printed on this machine's keyboard; `mod` is Command or Control. */
export function Keys({ keys, className = "" }: { keys: string; className?: string }) {
  return (
    <span aria-hidden="true" className={`text-2xs font-medium tracking-wide max-sm:hidden ${className}`}>
      {keys.replaceAll("mod", APPLE ? "⌘" : "Ctrl ")}
    </span>
  );
}
