import type { UIChunk } from "@agent-ops/shared/ai-sdk";
import {
  isKnownEvent,
  type KnownLogPayload,
  type LogPayload,
  type MessageFinalize,
  type ToolUpdate,
} from "@agent-ops/shared/events";
import { errorText } from "@agent-ops/shared/message-reducer";
import {
  type Answer,
  type AskedQuestion,
  type Question,
  question,
  questionResolution,
} from "@agent-ops/shared/questions";
import {
  addData,
  addTransientData,
  appendDelta,
  begin,
  cancel,
  fail,
  finish,
  newStream,
  nextStep,
  replaceData,
} from "./chunk-builder.ts";
import { type Built, chain, type Move, type StreamState, unchanged } from "./stream-state.ts";
import {
  askApproval,
  canAskApproval,
  denyOutput,
  finalOutput,
  noteTool,
  outputError,
  partialOutput,
} from "./tool-chunks.ts";
import { TOOL_FAILED } from "./tool-input.ts";

type Event<T extends KnownLogPayload["type"]> = Extract<KnownLogPayload, { type: T }>;

type TextForm = "text-delta" | "chunk";

/** How a client learns of an approval: in the open stream, or as the SDK's own request that ends the stream. */
export type ApprovalMode = "question" | "native";

export type Translation = {
  readonly turnId: string;
  readonly approvals: ApprovalMode;
  readonly stream: StreamState;
  /** The text that was streamed, of all blocks. */
  readonly text: string;
  readonly textForm?: TextForm;
  /** The calls whose approval was asked for in the stream, by question. */
  readonly asked: ReadonlyMap<string, string>;
  /** The questions that were told and are still open. */
  readonly open: ReadonlyMap<string, Question>;
  readonly settled: ReadonlySet<string>;
  /** Questions that were answered before the stream began: there is nothing left to request. */
  readonly answered: ReadonlySet<string>;
  /** The question whose answer the client will bring, while the stream is suspended. */
  readonly suspendedOn?: string;
  readonly unknownEvents: number;
};

export type Translated = { readonly state: Translation; readonly chunks: readonly UIChunk[] };

export type TranslationOptions = { approvals: ApprovalMode; answered?: readonly string[] | undefined };

export function startTranslation(turnId: string, options: TranslationOptions): Translation {
  return {
    turnId,
    approvals: options.approvals,
    stream: newStream(turnId),
    text: "",
    asked: new Map(),
    open: new Map(),
    settled: new Set(),
    answered: new Set(options.answered),
    unknownEvents: 0,
  };
}

/** A reader's stream is closed when this is not "open"; a suspended one goes on as a new stream. */
export function phaseOf(state: Translation): "open" | "suspended" | "ended" {
  return state.stream.phase === "new" ? "open" : state.stream.phase;
}

/** Translates one event of the log; an event that is not of this turn yields nothing. */
export function translate(state: Translation, event: LogPayload): Translated {
  if (state.stream.phase === "ended" || !isOfTurn(state, event)) return { state, chunks: [] };
  if (isKnownEvent(event)) return translateKnown(state, event);
  return { state: { ...state, unknownEvents: state.unknownEvents + 1 }, chunks: [] };
}

/** An event that names no turn is of the one that runs. A `chunk` may name it as its message. */
function isOfTurn(state: Translation, event: LogPayload): boolean {
  const named = "turnId" in event ? event.turnId : undefined;
  const turnId = named ?? (event.type === "chunk" ? event.messageId : undefined);
  return turnId === undefined ? state.stream.phase !== "new" : turnId === state.turnId;
}

function translateKnown(state: Translation, event: KnownLogPayload): Translated {
  const { stream } = state;
  switch (event.type) {
    case "message.create":
      return advance(state, begin(stream));
    case "message.part.text-delta":
      return translateText(state, "text-delta", event.delta);
    case "chunk":
      return translateText(state, "chunk", event.content);
    case "message.part.reasoning-delta":
      return advance(state, appendDelta(stream, "reasoning", event.delta));
    case "message.part.tool-update":
      return advance(state, translateTool(stream, event));
    case "message.step":
      return advance(state, nextStep(stream));
    case "message.finalize":
      return advance(state, translateFinalize(state, event));
    case "complete":
      return advance(state, finish(stream));
    case "error":
      return advance(state, event.turnId ? fail(stream, event.message) : unchanged(stream));
    case "question":
      return translateQuestion(state, event);
    case "question.resolved":
      return translateResolution(state, event);
    case "agentStatus":
      return advance(state, translateStatus(stream, event));
    case "message":
    case "message.updated":
    case "status":
    case "queue.state":
    case "audit":
    case "audit_log":
    case "title":
    case "git-state":
    case "diff":
    case "files-changed":
    case "review-result":
    case "child-session":
    case "models":
    case "commands":
    case "ping":
      return { state, chunks: [] };
    default:
      return event satisfies never;
  }
}

function advance(state: Translation, built: Built, more?: Partial<Translation>): Translated {
  const suspendedOn = built.state.phase === "suspended" ? state.suspendedOn : undefined;
  return { state: { ...state, suspendedOn, ...more, stream: built.state }, chunks: built.chunks };
}

/** The form that the turn's text came in first is the one that counts. */
function translateText(state: Translation, form: TextForm, delta: string): Translated {
  if (delta === "" || (state.textForm ?? form) !== form) return { state, chunks: [] };
  return advance(state, appendDelta(state.stream, "text", delta), { text: state.text + delta, textForm: form });
}

function translateTool(stream: StreamState, update: ToolUpdate): Built {
  return chain(stream, [(noted) => noteTool(noted, update), (noted) => translateOutput(noted, update)]);
}

function translateOutput(stream: StreamState, update: ToolUpdate): Built {
  const { callId, result } = update;
  if (stream.endedTools.has(callId)) return unchanged(stream);
  const status = update.preliminary ? "running" : update.status;
  switch (status) {
    case "pending":
    case "running":
      return result === undefined ? unchanged(stream) : partialOutput(stream, callId, result);
    case "completed":
      return finalOutput(stream, callId, result);
    case "error":
      return outputError(stream, callId, update.error ?? TOOL_FAILED);
    default:
      return status satisfies never;
  }
}

function translateFinalize(state: Translation, event: MessageFinalize): Built {
  const rest = event.finalText?.startsWith(state.text) ? event.finalText.slice(state.text.length) : "";
  return chain(state.stream, [(stream) => appendDelta(stream, "text", rest), (stream) => endTurn(stream, event)]);
}

function endTurn(stream: StreamState, event: MessageFinalize): Built {
  switch (event.reason) {
    case "end_turn":
      return finish(stream);
    case "canceled":
      return cancel(stream);
    case "error":
      return fail(stream, errorText(event));
    default:
      return event.reason satisfies never;
  }
}

function translateQuestion(state: Translation, event: Event<"question">): Translated {
  const { questionId, callId, toolName = "tool" } = event;
  if (state.open.has(questionId) || state.settled.has(questionId)) return { state, chunks: [] };
  // The event carries its place in the log too; only the question itself is told.
  const data = question.parse(event);
  const open = new Map(state.open).set(questionId, data);
  const tell: Move = (stream) => addData(stream, "question", { id: questionId, data });
  if (!isNativeApproval(state, event) || callId === undefined) return advance(state, tell(state.stream), { open });
  const built = chain(state.stream, [
    (stream) => (stream.tools.has(callId) ? unchanged(stream) : noteTool(stream, { callId, toolName })),
    tell,
    (stream) => askApproval(stream, callId, questionId),
  ]);
  return advance(state, built, { open, asked: new Map(state.asked).set(questionId, callId), suspendedOn: questionId });
}

function isNativeApproval(state: Translation, { kind, callId, questionId }: Event<"question">): boolean {
  if (state.approvals !== "native" || state.answered.has(questionId)) return false;
  return kind === "approval" && callId !== undefined && canAskApproval(state.stream, callId);
}

/** The question is told again, with what became of it, in the place of the open one. */
function translateResolution(state: Translation, event: Event<"question.resolved">): Translated {
  const { questionId, outcome, answer, by } = event;
  const asked = state.open.get(questionId);
  if (!asked) return { state, chunks: [] };
  const open = new Map(state.open);
  open.delete(questionId);
  const data: AskedQuestion = { ...asked, resolution: questionResolution.parse({ outcome, answer, by }) };
  const built = chain(state.stream, [
    (stream) => resumeAfter(stream, state.asked.get(questionId), answer),
    (stream) => replaceData(stream, "question", { id: questionId, data }),
  ]);
  return advance(state, built, { open, settled: new Set(state.settled).add(questionId) });
}

/** Where the stream was suspended for an approval it goes on, with a refusal as the call's end. */
function resumeAfter(stream: StreamState, callId: string | undefined, answer: Answer | undefined): Built {
  if (callId === undefined || stream.endedTools.has(callId)) return unchanged(stream);
  const refused = answer && "approved" in answer && !answer.approved;
  return refused ? denyOutput(stream, callId) : begin(stream);
}

function translateStatus(stream: StreamState, { status, detail }: Event<"agentStatus">): Built {
  return addTransientData(stream, "agent-status", detail === undefined ? { status } : { status, detail });
}
