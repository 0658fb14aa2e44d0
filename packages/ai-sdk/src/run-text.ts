import { appendDelta, closeBlock } from "./chunk-builder.ts";
import { advance, type RunMoved, type RunState } from "./run-state.ts";
import { type BlockKind, type Move, unchanged } from "./stream-state.ts";

/** What agents write and think, in deltas or whole. Two nodes never write in one block. */

export function addDelta(state: RunState, kind: BlockKind, event: { nodeId: string; delta: string }): RunMoved {
  const { nodeId, delta } = event;
  if (delta === "") return advance(state);
  const key = textKey(kind, nodeId);
  const streamed = state.streamed.has(key) ? state.streamed : new Set(state.streamed).add(key);
  return append({ ...state, streamed }, kind, event);
}

/** What deltas have told already is not told again. */
export function addWhole(state: RunState, kind: BlockKind, event: { nodeId: string; text: string }): RunMoved {
  const { nodeId, text } = event;
  const key = textKey(kind, nodeId);
  if (state.streamed.has(key)) return advance({ ...state, streamed: without(state.streamed, [key]) });
  return append(state, kind, { nodeId, delta: text });
}

function append(state: RunState, kind: BlockKind, { nodeId, delta }: { nodeId: string; delta: string }): RunMoved {
  if (kind === "reasoning" && !state.shown.reasoning) return advance(state);
  const separate: Move = state.writer === nodeId ? unchanged : closeBlock;
  return advance({ ...state, writer: nodeId }, separate, (stream) => appendDelta(stream, kind, delta));
}

/** An agent that begins anew, or has ended, has told no part of its next text. */
export function forgetTexts(state: RunState, nodeId: string): RunState {
  const keys = [textKey("text", nodeId), textKey("reasoning", nodeId)];
  const known = keys.some((key) => state.streamed.has(key));
  return known ? { ...state, streamed: without(state.streamed, keys) } : state;
}

function textKey(kind: BlockKind, nodeId: string): string {
  return `${kind} ${nodeId}`;
}

function without(set: ReadonlySet<string>, keys: readonly string[]): ReadonlySet<string> {
  return new Set([...set].filter((key) => !keys.includes(key)));
}
