import { toUIMessage, type UIMessage } from "@agent-ops/ai-sdk/ui-message";
import type { InitEvent, UserPresence } from "@agent-ops/shared/events";
import type { Message } from "@agent-ops/shared/message-parts";
import type { AskedQuestion } from "@agent-ops/shared/questions";
import type { SessionRoom } from "./session-room.ts";
import type { ReaderSocket } from "./socket-readers.ts";

const HYDRATED_MESSAGES = 100;
const HYDRATED_AUDIT = 50;

type Newcomer = { socket: ReaderSocket; user: string; people: UserPresence[] };
export type Cursor = { since: number | undefined; generation: number | undefined };

/** LOG5 and LOG6: where a new reader begins. */
export function greet(room: SessionRoom, { socket, user, people }: Newcomer, { since, generation }: Cursor): void {
  const { journal } = room;
  if (since === undefined || since + 1 < journal.log.firstSeq) {
    journal.readers.tell({ ...initEvent(room, user), people }, socket);
    return journal.readers.add(socket, journal.log.lastSeq);
  }
  const rewind = journal.rewindOf(since, generation);
  const place = { generation: journal.generation, seq: rewind ?? since };
  if (rewind === undefined) journal.readers.tell({ type: "hello", ...place, people }, socket);
  else journal.readers.tell({ type: "rewind", ...place }, socket);
  journal.readers.add(socket, place.seq);
}

function initEvent(room: SessionRoom, user: string): Omit<InitEvent, "people"> {
  const { messages } = room.store.messages.page(HYDRATED_MESSAGES);
  const active = room.turns.message;
  return {
    type: "init",
    generation: room.journal.generation,
    seq: room.journal.log.lastSeq,
    session: room.view(user),
    messages: active ? [...messages, active] : messages,
    ...(active ? { activeTurnId: active.turnId } : {}),
    queue: room.turns.queue,
    questions: active ? room.store.questions.openOf(active.turnId) : [],
    audit: room.store.recentAudit(HYDRATED_AUDIT),
  };
}

export type HistoryPage = { messages: UIMessage[]; before?: number };

/** The stored messages as AI SDK clients take them, the newest page first. */
export function historyPage(room: SessionRoom, page: { limit: number; before?: number | undefined }): HistoryPage {
  const { messages, first } = room.store.messages.page(page.limit, page.before);
  const uiMessages = messages.map((message) => toUIMessage(message, questionsOf(room, message)));
  return { messages: uiMessages, ...(first !== undefined && first > 1 ? { before: first } : {}) };
}

function questionsOf(room: SessionRoom, message: Message): Map<string, AskedQuestion> {
  if (!message.parts.some((part) => part.type === "question")) return new Map();
  const stored = room.store.questions.ofTurn(message.turnId);
  return new Map(stored.map(({ question, resolution }) => [question.questionId, { ...question, resolution }]));
}
