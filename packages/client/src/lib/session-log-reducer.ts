import type { KnownLogPayload } from "@agent-ops/shared/events";
import type { Message, MessagePart } from "@agent-ops/shared/message-parts";
import { reduceParts } from "@agent-ops/shared/message-reducer";
import type { SessionStatus } from "@agent-ops/shared/sessions";
import { addNotice, type SessionState } from "./session-model.ts";

type Stamped<T> = T & { seq: number; ts: number };
type LogEventOf<T extends KnownLogPayload["type"]> = Stamped<Extract<KnownLogPayload, { type: T }>>;

const AUDIT_KEPT = 200;

/** One event of the log, of a type this page knows. */
export function reduceLogEvent(state: SessionState, event: Stamped<KnownLogPayload>): SessionState {
  switch (event.type) {
    case "message.create":
    case "message.part.text-delta":
    case "message.part.reasoning-delta":
    case "message.part.tool-update":
    case "message.step":
    case "message.finalize":
      return foldTurn(state, event.turnId, event);
    case "question":
      return askQuestion(state, event);
    case "complete":
    case "error":
      return endTurn(state, event);
    case "agentStatus":
      return { ...state, activity: { status: event.status, detail: event.detail } };
    case "message":
      return startTurn(state, event.message);
    case "message.updated":
      return updateMessage(state, event);
    case "question.resolved":
      return resolveQuestion(state, event);
    case "queue.state":
      return dropShown({ ...state, queue: event.items }, new Set(event.items.map((item) => item.promptId)));
    case "audit_log":
      return { ...state, audit: [...state.audit, event.entry].slice(-AUDIT_KEPT) };
    case "title":
      return patchSession(state, { title: event.title });
    case "git-state":
      return { ...state, gitState: event };
    case "files-changed":
      return { ...state, filesVersion: state.filesVersion + 1 };
    case "review-result":
      return { ...state, review: event };
    case "models":
      return { ...state, models: event };
    case "commands":
      return { ...state, commands: event.commands };
    case "child-session":
      return updateChild(state, event);
    case "status":
      return patchSession(state, { status: event.status });
    default:
      return state;
  }
}

/** Folds an event into its turn's message. A message that has its finish part is final. */
function foldTurn(state: SessionState, turnId: string, event: Stamped<KnownLogPayload>): SessionState {
  const at = state.messages.findLastIndex((entry) => entry.role === "assistant" && entry.turnId === turnId);
  const before = state.messages[at] ?? newAnswer(turnId, event);
  if (isFinished(before.parts)) return state;
  const parts = reduceParts(before.parts, event);
  const usage = event.type === "message.finalize" ? event.usage : undefined;
  const message: Message = { ...before, parts: [...parts], ...(usage ? { usage } : {}) };
  const messages = at === -1 ? [...state.messages, message] : state.messages.with(at, message);
  if (!isFinished(parts)) return { ...state, messages, activeTurnId: turnId };
  const activeTurnId = state.activeTurnId === turnId ? undefined : state.activeTurnId;
  return { ...state, messages, activeTurnId, activity: undefined, filesVersion: state.filesVersion + 1 };
}

function newAnswer(turnId: string, event: Stamped<KnownLogPayload>): Message {
  const channel =
    event.type === "message.create" && event.channelId !== undefined
      ? { channelType: event.channelType, channelId: event.channelId }
      : {};
  return { id: turnId, role: "assistant", turnId, parts: [], createdAt: event.ts, ...channel };
}

function isFinished(parts: readonly MessagePart[]): boolean {
  return parts.at(-1)?.type === "finish";
}

function startTurn(state: SessionState, message: Message): SessionState {
  const shown = dropShown(state, new Set([message.id]));
  if (state.messages.some((entry) => entry.id === message.id)) return shown;
  return { ...shown, messages: [...state.messages, message], activeTurnId: message.turnId };
}

/** An `error` that names no turn is about the session; a `complete` that names none ends the active one. */
function endTurn(state: SessionState, event: LogEventOf<"complete" | "error">): SessionState {
  const turnId = event.turnId ?? (event.type === "complete" ? state.activeTurnId : undefined);
  if (turnId !== undefined) return foldTurn(state, turnId, event);
  return event.type === "error" ? addNotice(state, "error", event.message) : state;
}

function askQuestion(state: SessionState, event: LogEventOf<"question">): SessionState {
  const { type: _type, seq: _seq, ts: _ts, ...question } = event;
  const asked = { ...state, questions: { ...state.questions, [question.questionId]: { question } } };
  return foldTurn(asked, event.turnId, event);
}

function resolveQuestion(state: SessionState, event: LogEventOf<"question.resolved">): SessionState {
  const asked = state.questions[event.questionId];
  if (!asked) return state;
  const { outcome, answer, by } = event;
  const resolved = { question: asked.question, resolution: { outcome, answer, by } };
  return { ...state, questions: { ...state.questions, [event.questionId]: resolved } };
}

function updateMessage(state: SessionState, event: LogEventOf<"message.updated">): SessionState {
  const { messageId, message, removed } = event;
  if (removed) return { ...state, messages: state.messages.filter((entry) => entry.id !== messageId) };
  if (!message) return state;
  return { ...state, messages: state.messages.map((entry) => (entry.id === messageId ? message : entry)) };
}

function updateChild(state: SessionState, event: LogEventOf<"child-session">): SessionState {
  const { childSessionId, title, status } = event;
  const before = state.children.find((child) => child.childSessionId === childSessionId);
  const child = {
    childSessionId,
    title: title ?? before?.title ?? "Child session",
    status: status ?? before?.status ?? "running",
    openable: before?.openable ?? event.openable === true,
  };
  if (!before) return { ...state, children: [...state.children, child] };
  return { ...state, children: state.children.map((entry) => (entry === before ? child : entry)) };
}

function dropShown(state: SessionState, ids: ReadonlySet<string>): SessionState {
  if (!state.pending.some((prompt) => ids.has(prompt.id))) return state;
  return { ...state, pending: state.pending.filter((prompt) => !ids.has(prompt.id)) };
}

function patchSession(state: SessionState, change: { title?: string; status?: SessionStatus }): SessionState {
  return state.session ? { ...state, session: { ...state.session, ...change } } : state;
}
