import type { StreamChunk } from "@agent-ops/ai-sdk/stream-checker";
import { DONE, type Frame, parseFrames } from "./frames.ts";
import { bodyOf, isSuccess, type Recording } from "./recording.ts";

/** The content of one frame, and what a client has against it. */
type Payload = { readonly text: string; readonly value: unknown } | { readonly text: string; readonly problem: string };

/** A recorded answer as a client would read it. */
export type StreamView = {
  readonly recording: Recording;
  readonly frames: readonly Frame[];
  /** Everything but `[DONE]`. */
  readonly payloads: readonly Payload[];
  readonly chunks: readonly StreamChunk[];
};

export function readStream(recording: Recording): StreamView {
  const frames = parseFrames(bodyOf(recording));
  const payloads = frames.flatMap(payloadsIn);
  return { recording, frames, payloads, chunks: payloads.flatMap(chunkIn) };
}

/** A last frame that was cut in two has no content of its own; the missing blank line says enough. */
function payloadsIn({ data, complete }: Frame): Payload[] {
  if (data === undefined || data === DONE) return [];
  const payload = readPayload(data);
  return complete || "value" in payload ? [payload] : [];
}

/** The chunk that a frame carries, if it carries one. */
export function chunkOf({ data }: Frame): StreamChunk | undefined {
  return data === undefined || data === DONE ? undefined : chunkIn(readPayload(data))[0];
}

/** Transient chunks are shown once and not kept, so no law about replays binds them. */
export function isLogged(chunk: StreamChunk): boolean {
  return chunk.transient !== true;
}

export function textOf(chunks: readonly StreamChunk[]): string {
  return chunks.map(({ type, delta }) => (type === "text-delta" && typeof delta === "string" ? delta : "")).join("");
}

export function messageIdOf(chunks: readonly StreamChunk[]): string | undefined {
  const id = chunks.find(({ type }) => type === "start")?.messageId;
  return typeof id === "string" ? id : undefined;
}

export function isEventStream({ recording }: StreamView): boolean {
  return /^text\/event-stream\b/i.test(recording.headers.get("content-type") ?? "");
}

export function hasBody({ recording }: StreamView): boolean {
  return isSuccess(recording) && recording.pieces.length > 0;
}

/** Every frame could be read, so what they say together can be judged. */
export function isLegible({ payloads, chunks }: StreamView): boolean {
  return chunks.length > 0 && chunks.length === payloads.length;
}

function readPayload(text: string): Payload {
  if (text.trim() === "") return { text, problem: "no content" };
  try {
    return { text, value: JSON.parse(text, refusePrototypes) };
  } catch (error) {
    return { text, problem: error instanceof Error ? error.message : String(error) };
  }
}

/** Clients refuse JSON that could reach a prototype. */
function refusePrototypes(key: string, value: unknown): unknown {
  const reaches = typeof value === "object" && value !== null && Object.hasOwn(value, "prototype");
  if (key === "__proto__" || (key === "constructor" && reaches)) throw new SyntaxError(`it has the key ${key}`);
  return value;
}

function chunkIn(payload: Payload): StreamChunk[] {
  return "value" in payload && isChunk(payload.value) ? [payload.value] : [];
}

function isChunk(value: unknown): value is StreamChunk {
  return typeof value === "object" && value !== null && "type" in value && typeof value.type === "string";
}
