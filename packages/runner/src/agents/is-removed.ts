import type { TurnHistory } from "@agent-ops/shared/frames";

/** TURN9: whether the turn at a place was replaced. */
export function isRemoved(place: number, removed: TurnHistory["removed"]): boolean {
  return removed.some(([first, last]) => place >= first && place <= last);
}
