import {
  type ClientBoundEvent,
  isKnownEvent,
  KNOWN_RUNNER_TYPES,
  type LogEvent,
  readerEvent,
  runnerEvent,
  sessionEvent,
} from "@agent-ops/shared/events";
import { z } from "zod";

const header = z.looseObject({ type: z.string(), seq: z.number().optional(), ts: z.number().optional() });

/** Reads one event of a frame; undefined for what this page cannot read and need not count. */
export function parseClientEvent(raw: unknown): ClientBoundEvent | undefined {
  const head = header.safeParse(raw).data;
  if (head === undefined) return undefined;
  const { seq, ts } = head;
  if (seq === undefined || ts === undefined) return readerEvent.safeParse(raw).data;
  return parseLogEvent(head, seq, ts);
}

/** An event of the log that cannot be read still holds its place in the numbering. */
function parseLogEvent(raw: z.infer<typeof header>, seq: number, ts: number): LogEvent {
  if (!isKnownEvent(raw)) return { ...raw, seq, ts };
  const schema = KNOWN_RUNNER_TYPES.has(raw.type) ? runnerEvent : sessionEvent;
  const parsed = schema.safeParse(raw);
  return parsed.success ? { ...parsed.data, seq, ts } : { type: "malformed", seq, ts };
}
