import { useEffect, useState } from "react";

/** When something that this page saw begin began, and how long it took: kept apart, since a list unmounts its rows. */
const times = new Map<string, { from: number; took?: number }>();

/** Milliseconds that something has run for, growing while it does; undefined where this page did not see it begin. */
export function useElapsed(key: string, active: boolean): number | undefined {
  const [, tick] = useState(0);
  const known = times.get(key);
  if (active && !known) times.set(key, { from: Date.now() });
  if (!active && known && known.took === undefined) known.took = Date.now() - known.from;
  useEffect(() => {
    if (!active) return;
    const timer = setInterval(() => tick((count) => count + 1), 1_000);
    return () => clearInterval(timer);
  }, [active]);
  const time = times.get(key);
  return time && (time.took ?? Date.now() - time.from);
}

/** "0.4s", "12s", "3m 05s" */
export function formatElapsed(ms: number): string {
  if (ms < 10_000) return `${(Math.floor(ms / 100) / 10).toFixed(1)}s`;
  const seconds = Math.floor(ms / 1000);
  if (seconds < 60) return `${seconds}s`;
  return `${Math.floor(seconds / 60)}m ${String(seconds % 60).padStart(2, "0")}s`;
}
