import { toUIMessage, type UIMessage } from "@agent-ops/ai-sdk/ui-message";
import { AppError } from "@agent-ops/shared/errors";
import { type InitEvent, initEvent as initSchema, type UserPresence } from "@agent-ops/shared/events";
import { LIMITS } from "@agent-ops/shared/limits";
import type { Message } from "@agent-ops/shared/message-parts";
import type { AskedQuestion } from "@agent-ops/shared/questions";
import { z } from "zod";
import type { PageBounds } from "./message-table.ts";
import type { SessionRoom } from "./session-room.ts";
import type { ReaderSocket } from "./socket-readers.ts";

const HYDRATED_AUDIT = 50;
/** A page over HTTP holds this much stored text at the most, but one message at least. */
const PAGE_CHARS = 4 * 1024 * 1024;

type Newcomer = { socket: ReaderSocket; user: string; people: UserPresence[] };
export type Cursor = { since: number | undefined; generation: number | undefined; chunks?: boolean | undefined };

/** LOG5 and LOG6: where a new reader begins. */
export function greet(room: SessionRoom, { socket, user, people }: Newcomer, cursor: Cursor): void {
  const { journal } = room;
  const { since, generation, chunks } = cursor;
  const reliable = journal.reliableSeq(generation);
  const seq = since === undefined || reliable === undefined ? undefined : Math.min(since, reliable);
  if (seq === undefined || seq + 1 < journal.log.firstSeq) {
    journal.readers.tell({ ...initEvent(room, user), people }, socket);
    return journal.readers.add(socket, journal.log.lastSeq, { user, chunks });
  }
  const place = { generation: journal.generation, seq };
  if (seq === since) journal.readers.tell({ type: "hello", ...place, people }, socket);
  else journal.readers.tell({ type: "rewind", ...place }, socket);
  journal.readers.add(socket, place.seq, { user, chunks });
}

function initEvent(room: SessionRoom, user: string): Omit<InitEvent, "people"> {
  const { store, journal, turns } = room;
  const { messages, before } = messagePage(room, { limit: LIMITS.initMessages, chars: LIMITS.initChars });
  const active = turns.message;
  const shown = active ? [...messages, active] : messages;
  return {
    type: "init",
    generation: journal.generation,
    seq: journal.log.lastSeq,
    session: room.view(user),
    messages: shown,
    ...(before === undefined ? {} : { before }),
    ...(active ? { activeTurnId: active.turnId } : {}),
    queue: turns.queue,
    questions: shown.flatMap((message) => questionsOf(room, message)),
    audit: store.audit.page(HYDRATED_AUDIT).audit,
    children: room.family.children,
    ...latest(room),
  };
}

const latestEvents = initSchema.pick({ models: true, commands: true, gitState: true, review: true });

function latest({ store }: SessionRoom): z.infer<typeof latestEvents> {
  const get = (name: string) => store.latest.get(name);
  return latestEvents.parse({
    models: get("models"),
    commands: get("commands"),
    gitState: get("git-state"),
    review: get("review-result"),
  });
}

type PageQuery = { limit: number; before?: number | undefined };
type Page = { messages: Message[]; before?: number };
export type HistoryPage = { messages: UIMessage[]; before?: number };
export type V2Page = Page & { questions: AskedQuestion[] };

/** The stored messages as AI SDK clients take them, the newest page first. */
export function historyPage(room: SessionRoom, query: PageQuery): HistoryPage {
  const { messages, ...rest } = messagePage(room, { ...query, chars: PAGE_CHARS });
  return { messages: messages.map((message) => toUIMessage(message, questionMap(room, message))), ...rest };
}

/** LOG10: the same for readers of V2, in the form that `init` has. */
export function v2Page(room: SessionRoom, query: PageQuery): V2Page {
  const page = messagePage(room, { ...query, chars: PAGE_CHARS });
  return { ...page, questions: page.messages.flatMap((message) => questionsOf(room, message)) };
}

function messagePage(room: SessionRoom, bounds: PageBounds): Page {
  const { messages, first } = room.store.messages.page(bounds);
  return { messages, ...(first !== undefined && first > 1 ? { before: first } : {}) };
}

function questionMap(room: SessionRoom, message: Message): Map<string, AskedQuestion> {
  return new Map(questionsOf(room, message).map((asked) => [asked.questionId, asked]));
}

function questionsOf(room: SessionRoom, message: Message): AskedQuestion[] {
  if (!message.parts.some((part) => part.type === "question")) return [];
  const stored = room.store.questions.ofTurn(message.turnId);
  return stored.map(({ question, resolution }) => ({ ...question, ...(resolution ? { resolution } : {}) }));
}

const wholeNumber = z.coerce.number().int().nonnegative().optional();
const cursorQuery = z.object({ since: wholeNumber, generation: wholeNumber, chunks: z.stringbool().optional() });

/** Where a reader says that it is. */
export function readCursor(query: URLSearchParams): Cursor {
  const parsed = cursorQuery.safeParse(Object.fromEntries(query));
  if (!parsed.success) {
    throw new AppError("bad_request", "`since` and `generation` are whole numbers, `chunks` is true or false.");
  }
  const { since, generation, chunks } = parsed.data;
  return { since, generation, chunks };
}
