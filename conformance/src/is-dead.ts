import { readFileSync } from "node:fs";

/** Gone, or only waiting for its parent to notice. */
export function isDead(pid: number): boolean {
  try {
    return /^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return true;
  }
}
