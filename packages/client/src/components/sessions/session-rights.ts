import type { SessionView } from "@agent-ops/shared/sessions";

/** Why this person cannot write in the session, in words; undefined where they can. */
export function blockedBy(session: SessionView | undefined): string | undefined {
  if (session?.status === "terminated") return "This session has ended. It can still be read.";
  if (session?.role === "viewer") return "You can read this session, not write in it.";
  return undefined;
}
