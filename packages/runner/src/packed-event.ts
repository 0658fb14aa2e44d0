import type { RunnerEvent } from "@agent-ops/shared/events";
import { LIMITS } from "@agent-ops/shared/limits";

/** What the session adds to an event (`seq`, `ts`) and the frame around it must fit in beside it. */
const ENVELOPE_BYTES = 1024;
const EVENT_BYTES = LIMITS.rowBytes - ENVELOPE_BYTES;

/** The longest text that fits whatever it holds: JSON may need six bytes for one code unit. */
const TEXT_CHARS = Math.floor((EVENT_BYTES - ENVELOPE_BYTES) / 6);
/** Fields of one event share its room, so each one that is cut gets a part of it. */
const FIELD_CHARS = Math.floor(TEXT_CHARS / 4);

/** An event as it is stored and sent, with what must be known of it without reading it again. */
export interface PackedEvent {
  json: string;
  bytes: number;
  type: string;
  turnId: string | undefined;
}

/** An event as one or more that fit a row of the log: long deltas are split, other long fields are cut. */
export function packEvent(event: RunnerEvent): PackedEvent[] {
  const packed = pack(event, JSON.stringify(event));
  return packed.bytes <= EVENT_BYTES ? [packed] : shrink(event).map((part) => pack(part, JSON.stringify(part)));
}

export function pack(event: { type: string; turnId?: unknown }, json: string): PackedEvent {
  const turnId = typeof event.turnId === "string" ? event.turnId : undefined;
  return { json, bytes: Buffer.byteLength(json) + 1, type: event.type, turnId };
}

function shrink(event: RunnerEvent): { type: string; turnId?: unknown }[] {
  if (event.type === "message.part.text-delta" || event.type === "message.part.reasoning-delta") {
    return pieces(event.delta).map((delta) => ({ ...event, delta }));
  }
  if (event.type === "message.part.tool-update" && event.argsDelta !== undefined) {
    return pieces(event.argsDelta).map((argsDelta) => ({ ...event, argsDelta }));
  }
  return [{ ...cutFields(event), type: event.type }];
}

/** Never between the halves of a surrogate pair: each piece is encoded on its own. */
function pieces(text: string): string[] {
  const result: string[] = [];
  for (let start = 0; start < text.length; ) {
    let end = Math.min(start + TEXT_CHARS, text.length);
    if (end < text.length && isHighSurrogate(text.charCodeAt(end - 1))) end -= 1;
    result.push(text.slice(start, end));
    start = end;
  }
  return result;
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

function cutFields(event: RunnerEvent): Record<string, unknown> {
  return Object.fromEntries(Object.entries(event).map(([name, value]) => [name, cutField(value)]));
}

function cutField(value: unknown): unknown {
  const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "");
  if (text.length <= FIELD_CHARS) return value;
  return `${text.slice(0, FIELD_CHARS).toWellFormed()}\n[${text.length - FIELD_CHARS} more characters were left out]`;
}
