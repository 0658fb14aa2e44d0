import type { UIChunk } from "@agent-ops/shared/ai-sdk";

export type BlockKind = "text" | "reasoning";

/** What a client shows of a call that has not ended. */
type ToolView =
  /** Its input is arriving. */
  | "streaming"
  | "input"
  /** A partial output. */
  | "partial"
  /** A request for approval, or the client's own answer to it. */
  | "approval"
  /** An output that stands in while the stream is suspended. */
  | "paused";

export type OpenTool = {
  readonly callId: string;
  readonly toolName: string;
  /** Clients look for a call in the step they are in: an input sent in a later one would make a second part. */
  readonly step: number;
  readonly view: ToolView;
  readonly args?: unknown;
  readonly argsText: string;
  /** What the client was told, once it was. */
  readonly sent?: { readonly toolName: string; readonly input: unknown };
  readonly partial?: { readonly output: unknown };
};

export type StreamState = {
  readonly messageId: string;
  readonly phase: "new" | "open" | "suspended" | "ended";
  readonly steps: number;
  readonly stepOpen: boolean;
  readonly blocks: number;
  readonly block?: { readonly kind: BlockKind; readonly id: string };
  readonly tools: ReadonlyMap<string, OpenTool>;
  readonly endedTools: ReadonlySet<string>;
};

export type Built = { readonly state: StreamState; readonly chunks: readonly UIChunk[] };
export type Move = (state: StreamState) => Built;

export function unchanged(state: StreamState): Built {
  return { state, chunks: [] };
}

export function chain(state: StreamState, moves: readonly Move[]): Built {
  const chunks: UIChunk[] = [];
  let current = state;
  for (const move of moves) {
    const built = move(current);
    current = built.state;
    chunks.push(...built.chunks);
  }
  return { state: current, chunks };
}

/** Applies a move for each call that has not ended. */
export function eachTool(state: StreamState, move: (state: StreamState, tool: OpenTool) => Built): Built {
  return chain(
    state,
    [...state.tools.values()].map((tool) => (current) => move(current, tool)),
  );
}
