import type { ErrorCode } from "@agent-ops/shared/errors";
import type { KnownLogPayload } from "@agent-ops/shared/events";
import type { PromptInput } from "@agent-ops/shared/frames";
import { LIMITS } from "@agent-ops/shared/limits";

export type Prompt = PromptInput & {
  turnId: string;
  userId: string;
  createdAt: number;
  /** Whether the answer to an earlier prompt is wanted once more. */
  trigger?: "submit" | "regenerate" | undefined;
  /** What happens when the one who asked over HTTP leaves; a prompt over the socket has no asker to lose. */
  onDisconnect?: "abort" | "detach" | undefined;
  /** The message after which history ends when this turn begins; `itself` too, where it was edited. */
  replaces?: { messageId: string; itself: boolean } | undefined;
  /** A key came with it, which is kept nowhere but in memory. */
  withKey?: boolean | undefined;
};

/**
 * `starting` until the runner's first event of the turn, `running` after it, `stopping` once somebody asked for its end.
 */
type TurnPhase = "starting" | "running" | "stopping";
/** `created` is whether the runner's `message.create` was ever heard. */
export type ActiveTurn = { prompt: Prompt; phase: TurnPhase; created: boolean };
export type TurnState = { active: ActiveTurn | null; queue: readonly Prompt[] };

export type TurnInput =
  | { type: "prompt"; prompt: Prompt }
  | { type: "withdraw"; turnId: string }
  | { type: "abort"; turnId?: string | undefined }
  | { type: "created"; turnId: string }
  | { type: "ended"; turnId: string };

export type TurnOutput =
  | { type: "start"; prompt: Prompt }
  | { type: "queue-changed" }
  | { type: "stop"; turnId: string }
  | { type: "refuse"; code: ErrorCode; message: string };

export type Transition = { state: TurnState; outputs: TurnOutput[] };

export const IDLE: TurnState = { active: null, queue: [] };

/** TURN1 to TURN6 as a pure function: no clock, no ids, no storage. */
export function transition(state: TurnState, input: TurnInput): Transition {
  switch (input.type) {
    case "prompt":
      return onPrompt(state, input.prompt);
    case "withdraw":
      return onWithdraw(state, input.turnId);
    case "abort":
      return onAbort(state, input.turnId);
    case "created":
      return onCreated(state, input.turnId);
    case "ended":
      return onEnded(state, input.turnId);
    default:
      return input satisfies never;
  }
}

function onPrompt(state: TurnState, prompt: Prompt): Transition {
  if (!state.active) return begin(state.queue, prompt);
  if (state.queue.length >= LIMITS.queueLength) {
    return refuse(
      state,
      "queue_full",
      `${LIMITS.queueLength} prompts are waiting already. Try again when one has run.`,
    );
  }
  return { state: { ...state, queue: [...state.queue, prompt] }, outputs: [{ type: "queue-changed" }] };
}

function onWithdraw(state: TurnState, turnId: string): Transition {
  const queue = state.queue.filter((prompt) => prompt.turnId !== turnId);
  if (queue.length === state.queue.length) return refuse(state, "not_found", "That prompt is not waiting.");
  return { state: { ...state, queue }, outputs: [{ type: "queue-changed" }] };
}

function onAbort(state: TurnState, turnId: string | undefined): Transition {
  const { active } = state;
  if (!active || (turnId !== undefined && turnId !== active.prompt.turnId)) {
    return refuse(state, "nothing_running", "No such turn is running.");
  }
  if (active.phase === "stopping") return { state, outputs: [] };
  const outputs: TurnOutput[] = [{ type: "stop", turnId: active.prompt.turnId }];
  return { state: { ...state, active: { ...active, phase: "stopping" } }, outputs };
}

function onCreated(state: TurnState, turnId: string): Transition {
  const { active } = state;
  if (active?.prompt.turnId !== turnId) return { state, outputs: [] };
  const phase = active.phase === "starting" ? "running" : active.phase;
  return { state: { ...state, active: { ...active, phase, created: true } }, outputs: [] };
}

function onEnded(state: TurnState, turnId: string): Transition {
  if (state.active?.prompt.turnId !== turnId) return { state, outputs: [] };
  const [next, ...rest] = state.queue;
  if (!next) return { state: { active: null, queue: [] }, outputs: [] };
  const begun = begin(rest, next);
  return { state: begun.state, outputs: [{ type: "queue-changed" }, ...begun.outputs] };
}

function begin(queue: readonly Prompt[], prompt: Prompt): Transition {
  return {
    state: { active: { prompt, phase: "starting", created: false }, queue },
    outputs: [{ type: "start", prompt }],
  };
}

function refuse(state: TurnState, code: ErrorCode, message: string): Transition {
  return { state, outputs: [{ type: "refuse", code, message }] };
}

/** What an event of the runner means for the active turn: TURN3 and TURN8. */
export function admit(active: ActiveTurn | null, event: KnownLogPayload): "append" | "end" | "drop" {
  switch (event.type) {
    case "message.finalize":
      return isOf(active, event.turnId) ? "end" : "drop";
    case "complete":
      return active?.phase !== "starting" && isOf(active, event.turnId) ? "end" : "drop";
    case "error":
      if (event.turnId === undefined) return "append";
      return isOf(active, event.turnId) ? "end" : "drop";
    case "ping":
      return "drop";
    default:
      return isScoped(event) && !isOf(active, event.turnId) ? "drop" : "append";
  }
}

function isOf(active: ActiveTurn | null, turnId: string | undefined): boolean {
  return active !== null && turnId === active.prompt.turnId;
}

/** A `chunk` belongs to a turn whether it says so or not. */
function isScoped(event: KnownLogPayload): event is KnownLogPayload & { turnId?: string } {
  return event.type === "chunk" || ("turnId" in event && event.turnId !== undefined);
}
