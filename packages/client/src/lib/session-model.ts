import type {
  AgentCommand,
  AuditEntry,
  DiffEvent,
  GitState,
  ModelsEvent,
  QueueItem,
  ReviewResult,
  UserPresence,
} from "@agent-ops/shared/events";
import type { FilePart, Message } from "@agent-ops/shared/message-parts";
import type { AskedQuestion, Question, QuestionResolution } from "@agent-ops/shared/questions";
import type { ChildInfo, SessionView } from "@agent-ops/shared/sessions";

export type QuestionState = { question: Question; resolution?: QuestionResolution; error?: string };
export type AgentActivity = { status: string; detail?: string };
export type Notice = { id: number; level: "info" | "warning" | "error"; text: string };
/** A prompt of this page that the log does not show yet. */
export type PendingPrompt = PromptDraft & { id: string; state: "sending" | "accepted" | "failed"; error?: string };
/** What a person wrote and has not been told that it arrived. */
export type PromptDraft = { text: string; attachments?: FilePart[]; model?: string };

export type SessionState = {
  seq: number;
  generation: number;
  /** Undefined until the first `init`. */
  session: SessionView | undefined;
  messages: readonly Message[];
  /** Where the messages before the first one are; undefined where there are none. */
  before: number | undefined;
  activeTurnId: string | undefined;
  activity: AgentActivity | undefined;
  queue: readonly QueueItem[];
  questions: Readonly<Record<string, QuestionState>>;
  people: readonly UserPresence[];
  audit: readonly AuditEntry[];
  children: readonly ChildInfo[];
  models: ModelsEvent | undefined;
  /** Undefined until the agent has told them. */
  commands: readonly AgentCommand[] | undefined;
  gitState: GitState | undefined;
  review: ReviewResult | undefined;
  /** The latest answer to a `diff` command of this page. */
  diff: DiffEvent | undefined;
  /** Grows when the agent's files change, so that an open diff is asked for again. */
  filesVersion: number;
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
  before: undefined,
  activeTurnId: undefined,
  activity: undefined,
  queue: [],
  questions: {},
  people: [],
  audit: [],
  children: [],
  models: undefined,
  commands: undefined,
  gitState: undefined,
  review: undefined,
  diff: undefined,
  filesVersion: 0,
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

export function addPending(state: SessionState, id: string, draft: PromptDraft): SessionState {
  return { ...state, pending: [...state.pending, { ...draft, id, state: "sending" }] };
}

export function dropPending(state: SessionState, id: string): SessionState {
  return { ...state, pending: state.pending.filter((prompt) => prompt.id !== id) };
}

/** Questions under their ids, as the page keeps them. */
export function indexQuestions(asked: readonly AskedQuestion[]): Record<string, QuestionState> {
  return Object.fromEntries(
    asked.map(({ resolution, ...question }) => [
      question.questionId,
      { question, ...(resolution ? { resolution } : {}) },
    ]),
  );
}

export type OlderPage = { messages: readonly Message[]; questions: readonly AskedQuestion[]; before?: number };

/** Puts a page of older messages in front. A page that was asked for before the history changed is left out. */
export function addOlder(state: SessionState, askedAt: number, page: OlderPage): SessionState {
  if (state.before !== askedAt) return state;
  const known = new Set(state.messages.map(({ id }) => id));
  const older = page.messages.filter(({ id }) => !known.has(id));
  return {
    ...state,
    messages: [...older, ...state.messages],
    before: page.before,
    questions: { ...indexQuestions(page.questions), ...state.questions },
  };
}
