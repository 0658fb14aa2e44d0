import { DONE_FRAME, encodeFrame } from "@agent-ops/ai-sdk/sse";
import { startTranslation, translate } from "@agent-ops/ai-sdk/translator";
import type { UIChunk } from "@agent-ops/shared/ai-sdk";
import type { LogPayload } from "@agent-ops/shared/events";
import { expect } from "vitest";

/** The chunks of a body that ended as SSE2 says: one `data:` line a frame, `[DONE]` last. Comments are left out. */
export function chunksOf(body: string): UIChunk[] {
  const frames = framesOf(body);
  expect(frames.at(-1)).toBe("data: [DONE]");
  return frames.slice(0, -1).map((frame) => JSON.parse(frame.replace(/^data: /, "")));
}

export function framesOf(body: string): string[] {
  const blocks = body.split("\n\n");
  expect(blocks.pop()).toBe("");
  return blocks.filter((block) => !block.startsWith(":"));
}

export function withoutTransient(chunks: readonly UIChunk[]): UIChunk[] {
  return chunks.filter((chunk) => !("transient" in chunk));
}

/** A turn's chunks by the translator alone, as a frame carries them: without the keys that SSE2 leaves out. */
export function chunksOfTurn(turnId: string, events: readonly LogPayload[]): UIChunk[] {
  let state = startTranslation(turnId, { approvals: "question" });
  const frames = events.flatMap((event) => {
    const told = translate(state, event);
    state = told.state;
    return told.chunks.map((chunk) => encodeFrame(chunk));
  });
  return chunksOf(frames.join("") + DONE_FRAME);
}

/** The whole body that a late reader of this turn gets. */
export function replayOf(turnId: string, events: readonly LogPayload[]): string {
  const chunks = withoutTransient(chunksOfTurn(turnId, events));
  return chunks.map((chunk) => encodeFrame(chunk)).join("") + DONE_FRAME;
}
