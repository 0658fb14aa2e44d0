import type { UIChunk } from "@agent-ops/shared/ai-sdk";
import { type BlockKind, type Built, chain, type Move, type StreamState, unchanged } from "./stream-state.ts";
import { pauseTools, resumeTools, settleTools, tellInputs } from "./tool-views.ts";

/**
 * Builds the chunks of one message. Every function takes a stream and gives the next one with the chunks that lead to
 * it; what it needs first (the start, a step, an open or a closed block) it does itself, so that any order of calls
 * yields a stream that clients accept. After the end nothing is yielded.
 */

export function newStream(messageId: string): StreamState {
  return {
    messageId,
    phase: "new",
    steps: 0,
    stepOpen: false,
    blocks: 0,
    tools: new Map(),
    endedTools: new Set(),
  };
}

/** Starts the message, or goes on with a suspended one. */
export function begin(state: StreamState): Built {
  switch (state.phase) {
    case "new":
      return chain(state, [tellStart, openStep]);
    case "suspended":
      return chain(state, [tellStart, resumeTools]);
    case "open":
    case "ended":
      return unchanged(state);
    default:
      return state.phase satisfies never;
  }
}

/** Starts a message whose first step comes with its first content. */
export function startWithoutStep(state: StreamState): Built {
  return state.phase === "new" ? tellStart(state) : unchanged(state);
}

function tellStart(state: StreamState): Built {
  return { state: { ...state, phase: "open" }, chunks: [{ type: "start", messageId: state.messageId }] };
}

/** Begins where that is needed, then moves; the way in for everything that adds to the message. */
export function write(state: StreamState, moves: readonly Move[]): Built {
  return state.phase === "ended" ? unchanged(state) : chain(state, [begin, ...moves]);
}

export function openStep(state: StreamState): Built {
  if (state.stepOpen) return unchanged(state);
  return { state: { ...state, stepOpen: true, steps: state.steps + 1 }, chunks: [{ type: "start-step" }] };
}

function closeStep(state: StreamState): Built {
  if (!state.stepOpen) return unchanged(state);
  return { state: { ...state, stepOpen: false }, chunks: [{ type: "finish-step" }] };
}

export function endStep(state: StreamState): Built {
  return write(state, [closeBlock, tellInputs, closeStep]);
}

export function nextStep(state: StreamState): Built {
  return write(state, [endStep, openStep]);
}

/** An empty delta yields nothing, not even a block. */
export function appendDelta(state: StreamState, kind: BlockKind, delta: string): Built {
  if (delta === "") return unchanged(state);
  if (state.block?.kind === kind) return { state, chunks: [{ type: `${kind}-delta`, id: state.block.id, delta }] };
  return write(state, [closeBlock, openStep, (current) => openBlock(current, kind, delta)]);
}

function openBlock(state: StreamState, kind: BlockKind, delta: string): Built {
  const blocks = state.blocks + 1;
  const id = blockId(kind, blocks);
  return {
    state: { ...state, blocks, block: { kind, id } },
    chunks: [
      { type: `${kind}-start`, id },
      { type: `${kind}-delta`, id, delta },
    ],
  };
}

/** The id of a message's block by its place among the blocks of both kinds, from 1. */
export function blockId(kind: BlockKind, place: number): string {
  return `${kind}-${place}`;
}

export function closeBlock(state: StreamState): Built {
  if (!state.block) return unchanged(state);
  const { kind, id } = state.block;
  return { state: { ...state, block: undefined }, chunks: [{ type: `${kind}-end`, id }] };
}

/**
 * A data part; a later one of the same name and id takes its place. It opens no step: a client that waits for an
 * approval looks for it in the last one.
 */
export function addData(state: StreamState, name: string, part: { id?: string; data: unknown }): Built {
  const chunk: UIChunk = { type: `data-${name}`, ...part };
  return write(state, [closeBlock, (current) => ({ state: current, chunks: [chunk] })]);
}

/** Another value for a data part that was told before: it takes that one's place and closes nothing. */
export function replaceData(state: StreamState, name: string, part: { id: string; data: unknown }): Built {
  if (state.phase !== "open") return unchanged(state);
  return { state, chunks: [{ type: `data-${name}`, ...part }] };
}

/** For the moment only: no part of the message, so it needs no start and closes nothing. */
export function addTransientData(state: StreamState, name: string, data: unknown): Built {
  if (state.phase === "suspended" || state.phase === "ended") return unchanged(state);
  return { state, chunks: [{ type: `data-${name}`, data, transient: true }] };
}

/** Clients merge it into what the message already says about itself. */
export function addMetadata(state: StreamState, messageMetadata: Record<string, unknown>): Built {
  const chunk: UIChunk = { type: "message-metadata", messageMetadata };
  return write(state, [(current) => ({ state: current, chunks: [chunk] })]);
}

export function finish(state: StreamState): Built {
  return write(state, [closeBlock, settleTools, closeStep, end([{ type: "finish" }])]);
}

export function cancel(state: StreamState): Built {
  const chunks: UIChunk[] = [{ type: "abort" }, { type: "finish", messageMetadata: { canceled: true } }];
  return write(state, [closeBlock, settleTools, closeStep, end(chunks)]);
}

/** A client reads nothing after `error`; the metadata stays with the message. */
export function fail(state: StreamState, errorText: string): Built {
  const chunks: UIChunk[] = [
    { type: "message-metadata", messageMetadata: { error: errorText } },
    { type: "error", errorText },
  ];
  return write(state, [closeBlock, settleTools, end(chunks)]);
}

/** Ends this stream and not the message: the next thing said starts a stream that goes on with it. */
export function suspend(state: StreamState): Built {
  return write(state, [
    closeBlock,
    pauseTools,
    closeStep,
    (current) => ({
      state: { ...current, phase: "suspended" },
      chunks: [{ type: "finish", finishReason: "tool-calls" }],
    }),
  ]);
}

function end(chunks: readonly UIChunk[]): Move {
  return (state) => ({ state: { ...state, phase: "ended" }, chunks });
}
