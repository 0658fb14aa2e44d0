import type { SessionView } from "@agent-ops/shared/sessions";
import { z } from "zod";

const KEY = "agent-ops.seen";
const seen = z.record(z.string(), z.enum(["running", "unread"]));
/** Sessions that were last seen at work, and those that have come to an end since and were not looked at. */
export type Seen = Readonly<z.infer<typeof seen>>;

/** A session that worked when it was last seen, and has ended its turn while nobody looked, is unread. */
export function noteSessions(before: Seen, sessions: readonly SessionView[], open: string | undefined): Seen {
  const entries = sessions.flatMap(({ id, status }): [string, "running" | "unread"][] => {
    if (status === "running") return [[id, "running"]];
    return id !== open && before[id] !== undefined ? [[id, "unread"]] : [];
  });
  return Object.fromEntries(entries);
}

export function loadSeen(): Seen {
  try {
    return seen.parse(JSON.parse(localStorage.getItem(KEY) ?? "{}"));
  } catch {
    return {};
  }
}

export function saveSeen(value: Seen): void {
  localStorage.setItem(KEY, JSON.stringify(value));
}
