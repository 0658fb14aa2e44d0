import {
  type ClientBoundEvent,
  hasSeq,
  type InitEvent,
  isKnownEvent,
  type ReaderEvent,
} from "@agent-ops/shared/events";
import { reduceLogEvent } from "./session-log-reducer.ts";
import { addNotice, indexQuestions, type SessionState, updatePending } from "./session-model.ts";

/** What a reader of the socket knows after one more event. Old numbers and unknown types change nothing. */
export function reduceSession(state: SessionState, event: ClientBoundEvent): SessionState {
  if (!hasSeq(event)) return reduceReaderEvent(state, event);
  if (event.seq <= state.seq) return state;
  const next = isKnownEvent(event) ? reduceLogEvent(state, event) : state;
  return { ...next, seq: event.seq };
}

function reduceReaderEvent(state: SessionState, event: ReaderEvent): SessionState {
  switch (event.type) {
    case "init":
      return hydrate(state, event);
    case "hello":
      return { ...state, generation: event.generation, people: event.people };
    case "user.joined":
    case "user.left":
      return { ...state, people: event.people };
    case "accepted":
      return updatePending(state, event.promptId, { state: "accepted" });
    case "diff":
      return { ...state, diff: event };
    case "toast":
      return addNotice(state, event.level, event.message);
    case "error":
      return blame(state, event.message, event.re, event.code);
    case "rewind": // the socket starts again, and an `init` follows
    case "pong":
      return state;
    default:
      return event satisfies never;
  }
}

function hydrate(before: SessionState, init: InitEvent): SessionState {
  const known = new Set([...init.messages.map((entry) => entry.id), ...init.queue.map((entry) => entry.promptId)]);
  const older = olderThan(before, init.messages[0]?.id);
  return {
    ...before,
    seq: init.seq,
    generation: init.generation,
    session: init.session,
    messages: [...older, ...init.messages],
    before: older.length > 0 ? before.before : init.before,
    activeTurnId: init.activeTurnId,
    activity: undefined,
    queue: init.queue,
    questions: { ...(older.length > 0 ? before.questions : {}), ...indexQuestions(init.questions) },
    people: init.people,
    audit: init.audit,
    children: init.children,
    models: init.models,
    commands: init.commands?.commands,
    gitState: init.gitState,
    review: init.review,
    filesVersion: before.filesVersion + 1,
    pending: before.pending.filter((prompt) => prompt.state !== "accepted" && !known.has(prompt.id)),
  };
}

/** What was read of the history before the first message of an `init`: an edit only ever cuts off the end. */
function olderThan(state: SessionState, first: string | undefined): SessionState["messages"] {
  return state.messages.slice(
    0,
    Math.max(
      state.messages.findIndex(({ id }) => id === first),
      0,
    ),
  );
}

/** An error belongs to the prompt or the question it answers, else to the session as a whole. */
function blame(state: SessionState, text: string, re: string | undefined, code: string | undefined): SessionState {
  if (code === "ack_required") return state;
  if (re !== undefined && state.pending.some((prompt) => prompt.id === re))
    return updatePending(state, re, { state: "failed", error: text });
  const asked = re === undefined ? undefined : state.questions[re];
  if (re !== undefined && asked)
    return { ...state, questions: { ...state.questions, [re]: { ...asked, error: text } } };
  return addNotice(state, "error", text);
}
