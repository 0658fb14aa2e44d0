import type { LogPayload } from "@agent-ops/shared/events";

/** Who did what, and when. */
export type Act = { userId: string; action: string; detail?: string | undefined };

export function auditEvent(ts: number, { userId, action, detail }: Act): LogPayload {
  return { type: "audit_log", entry: { ts, userId, action, ...(detail === undefined ? {} : { detail }) } };
}
