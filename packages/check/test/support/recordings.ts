import type { StreamChunk } from "@agent-ops/ai-sdk/stream-checker";
import type { Recording } from "../../src/recording.ts";
import { readStream, type StreamView } from "../../src/stream-view.ts";

/** An exchange as the driver would have recorded it. */
export function recording(body: string, changes: Partial<Recording> = {}): Recording {
  return {
    name: '"hi"',
    status: 200,
    headers: new Map([["content-type", "text/event-stream"]]),
    startedAt: 0,
    answeredAt: 10,
    endedAt: 1_000,
    pieces: body === "" ? [] : [{ at: 20, text: body }],
    ending: "whole",
    ...changes,
  };
}

export function sse(chunks: readonly StreamChunk[]): string {
  return chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join("");
}

export function view(chunks: readonly StreamChunk[], changes: Partial<Recording> = {}): StreamView {
  return readStream(recording(sse(chunks), changes));
}
