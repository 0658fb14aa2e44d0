import type { UIChunk } from "@agent-ops/shared/ai-sdk";
import { newStream, startWithoutStep } from "./chunk-builder.ts";
import type { FlowStatus, RuntimeEvent, Usage } from "./runtime-events.ts";
import { chain, type Move, type StreamState } from "./stream-state.ts";

/** What of a run becomes part of the message. */
export type Shown = {
  readonly reasoning: boolean;
  readonly steps: boolean;
  readonly flowStatus: boolean;
  readonly nodeOutput: boolean;
};

/** Where the run waits for a person; a prompt wants an answer. */
export type Pause = { readonly nodeId?: string; readonly prompt?: string; readonly promptId?: string };

/** One run on its way to chunks. */
export type RunState = {
  readonly shown: Shown;
  readonly stream: StreamState;
  readonly inFlow: boolean;
  readonly flowName?: string;
  /** The status that the message shows. */
  readonly status?: FlowStatus;
  /** The node that wrote last. */
  readonly writer?: string;
  /** The texts, by kind and node, of which deltas came. */
  readonly streamed: ReadonlySet<string>;
  readonly tools: number;
  readonly usage?: Usage;
  readonly cost?: number;
  readonly pause?: Pause;
};

export type RunMoved = { readonly state: RunState; readonly chunks: readonly UIChunk[] };
export type RunMove = (state: RunState) => RunMoved;

export type EventOf<T extends RuntimeEvent["type"]> = Extract<RuntimeEvent, { type: T }>;

export function startRun(messageId: string, shown: Shown): RunState {
  return { shown, stream: newStream(messageId), inFlow: false, streamed: new Set(), tools: 0 };
}

/** The same run, which from now on writes another message. */
export function continueIn(state: RunState, messageId: string): RunState {
  return { ...state, stream: newStream(messageId), status: undefined, writer: undefined };
}

export function hasEnded(state: RunState): boolean {
  return state.stream.phase === "ended";
}

export function still(state: RunState): RunMoved {
  return { state, chunks: [] };
}

/** Moves the stream; whatever is said first starts the message. */
export function advance(state: RunState, ...moves: Move[]): RunMoved {
  const built = chain(state.stream, [startWithoutStep, ...moves]);
  return { state: { ...state, stream: built.state }, chunks: built.chunks };
}

export function inTurn(state: RunState, ...moves: RunMove[]): RunMoved {
  const chunks: UIChunk[] = [];
  let current = state;
  for (const move of moves) {
    const moved = move(current);
    current = moved.state;
    chunks.push(...moved.chunks);
  }
  return { state: current, chunks };
}
