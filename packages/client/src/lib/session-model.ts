import type { AuditEntry, QueueItem, UserPresence } from "@agent-ops/shared/events";
import type { Message } from "@agent-ops/shared/message-parts";
import type { Question, QuestionResolution } from "@agent-ops/shared/questions";
import type { SessionView } from "@agent-ops/shared/sessions";

export type QuestionState = { question: Question; resolution?: QuestionResolution; error?: string };
export type AgentActivity = { status: string; detail?: string };
export type Notice = { id: number; level: "info" | "warning" | "error"; text: string };
/** A prompt of this page that the log does not show yet. */
export type PendingPrompt = { id: string; text: string; state: "sending" | "accepted" | "failed"; error?: string };

export type SessionState = {
  seq: number;
  generation: number;
  /** Undefined until the first `init`. */
  session: SessionView | undefined;
  messages: readonly Message[];
  activeTurnId: string | undefined;
  activity: AgentActivity | undefined;
  queue: readonly QueueItem[];
  questions: Readonly<Record<string, QuestionState>>;
  people: readonly UserPresence[];
  audit: readonly AuditEntry[];
  pending: readonly PendingPrompt[];
  notices: readonly Notice[];
  noticeCount: number;
};

export const WAITING: AgentActivity = { status: "waiting", detail: "Waiting for an answer" };

/** What the agent does now: an open question of its turn comes before what it said of itself. */
export function activityOf({ activity, activeTurnId, questions }: SessionState): AgentActivity | undefined {
  const asked = Object.values(questions);
  const waits = asked.some((entry) => entry.question.turnId === activeTurnId && entry.resolution === undefined);
  return waits ? WAITING : activity;
}

export const emptySession: SessionState = {
  seq: 0,
  generation: 0,
  session: undefined,
  messages: [],
  activeTurnId: undefined,
  activity: undefined,
  queue: [],
  questions: {},
  people: [],
  audit: [],
  pending: [],
  notices: [],
  noticeCount: 0,
};

export function updatePending(state: SessionState, id: string, change: Partial<PendingPrompt>): SessionState {
  return { ...state, pending: state.pending.map((prompt) => (prompt.id === id ? { ...prompt, ...change } : prompt)) };
}

export function addNotice(state: SessionState, level: Notice["level"], text: string): SessionState {
  const id = state.noticeCount + 1;
  return { ...state, noticeCount: id, notices: [...state.notices.slice(-3), { id, level, text }] };
}

export function dismissNotice(state: SessionState, id: number): SessionState {
  return { ...state, notices: state.notices.filter((notice) => notice.id !== id) };
}

export function addPending(state: SessionState, id: string, text: string): SessionState {
  return { ...state, pending: [...state.pending, { id, text, state: "sending" }] };
}

export function dropPending(state: SessionState, id: string): SessionState {
  return { ...state, pending: state.pending.filter((prompt) => prompt.id !== id) };
}
