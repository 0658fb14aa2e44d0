import { SSE_HEADERS } from "@agent-ops/ai-sdk/sse";
import { AppError } from "@agent-ops/shared/errors";
import type { Access } from "../../lib/access.ts";
import type { ChatCommand, ChatOptions, ResumeCommand } from "../../lib/chat-command.ts";
import { hasLength } from "../../lib/stream-length.ts";
import type { EndedBy, StreamFrom, StreamKind } from "../../lib/stream-reader.ts";
import { isLogged, nextTurn } from "./next-turn.ts";
import type { SessionRoom } from "./session-room.ts";
import type { StoredTurn } from "./turn-table.ts";

/** Who reads; `watched` is whether their leaving says something about the turn, `gone` tells when they do. */
type Asker = { user: string; watched: boolean; gone?: AbortSignal | undefined; holder?: Access | undefined };
/** One who has a place among the streams, and leaves it. */
type Entered = Asker & { leave(): void };
type TurnFrom = { turn: StoredTurn; from: StreamFrom };
/** `live` is when the stream has caught up with its turn. */
export type OpenedChat = { turnId: string; body: ReadableStream<Uint8Array>; live: Promise<void> };

const START: StreamFrom = { at: "start" };

/** SSE1: carries a chat request out and answers with the stream of the turn it is about. */
export function chat(room: SessionRoom, holder: Access, command: ChatCommand, gone?: AbortSignal): Response {
  return respond(openChat(room, { user: holder.user, holder, watched: true, gone }, command));
}

/** SSE6, SSE8, SSE9, SSE16: the stream of a turn from where the client wants it; undefined when nothing runs. */
export async function resume(
  room: SessionRoom,
  holder: Access,
  command: ResumeCommand,
  gone?: AbortSignal,
): Promise<Response | undefined> {
  const opened = await openResume(room, { user: holder.user, holder, watched: true, gone }, command);
  return opened && respond(opened);
}

export function openChat(room: SessionRoom, asker: Asker, command: ChatCommand): OpenedChat {
  const leave = room.turnstile.enter(asker.holder ?? asker);
  try {
    return open(room, { ...asker, leave }, { ...turnFor(room, asker.user, command), options: command.options });
  } catch (error) {
    leave();
    throw error;
  }
}

export async function openResume(
  room: SessionRoom,
  asker: Asker,
  command: ResumeCommand,
): Promise<OpenedChat | undefined> {
  const leave = room.turnstile.enter(asker.holder ?? asker);
  try {
    const opened = await findResumed(room, { ...asker, leave }, command);
    if (!opened) leave();
    return opened;
  } catch (error) {
    leave();
    throw error;
  }
}

async function findResumed(
  room: SessionRoom,
  asker: Entered,
  { chatId, startIndex, waitSeconds = 0, fresh = false, options }: ResumeCommand,
): Promise<OpenedChat | undefined> {
  const named = room.store.turns.get(chatId);
  const owed = startIndex === undefined ? room.turns.reads.owed(asker.user) : undefined;
  const found = owed ?? (named ? undefined : await nextTurn(room, asker, { chatId, waitSeconds, fresh }));
  const turn = named ?? room.store.turns.get(found ?? "");
  if (!turn || (startIndex !== undefined && isReadUpTo(room, turn, startIndex, options))) return undefined;
  const from: StreamFrom = startIndex === undefined ? START : { at: "index", index: startIndex };
  return open(room, asker, { turn, from, options: { ...options, chatId } });
}

/** A client that comes back to the very end, as the SDK's WorkflowChatTransport does after an error, must not do so for ever. */
function isReadUpTo(room: SessionRoom, turn: StoredTurn, index: number, { approvals }: ChatOptions): boolean {
  if (turn.state !== "ended" || turn.startSeq === undefined) return false;
  const kind: StreamKind = { approvals, named: false, transient: false };
  return hasLength(room.journal.log, index, { turnId: turn.prompt.turnId, kind, startSeq: turn.startSeq });
}

function turnFor(room: SessionRoom, user: string, command: ChatCommand): TurnFrom {
  switch (command.kind) {
    case "prompt":
      return { turn: ask(room, user, command), from: START };
    case "regenerate":
      return { turn: regenerate(room, user, command), from: START };
    case "answers":
      return answerAll(room, user, command.answers);
    default:
      return command satisfies never;
  }
}

function ask(room: SessionRoom, user: string, command: Extract<ChatCommand, { kind: "prompt" }>): StoredTurn {
  const { prompt, apiKey, edits, options } = command;
  const { turnId } = room.prompt(user, prompt, {
    onDisconnect: options.onDisconnect ?? room.record.onDisconnect ?? "abort",
    ...(edits ? { replaces: { messageId: prompt.id, itself: true } } : {}),
    apiKey,
  });
  return existing(room, turnId);
}

/** A regenerate that is asked for twice while it runs is one turn. */
function regenerate(
  room: SessionRoom,
  user: string,
  command: Extract<ChatCommand, { kind: "regenerate" }>,
): StoredTurn {
  const { promptId, turnId, agent, apiKey, options } = command;
  const known = (promptId && room.store.turns.ofPrompt(promptId)) || room.store.turns.last();
  if (!known) throw new AppError("bad_request", "There is no prompt to run again.");
  const { prompt } = known;
  const running = known.state === "queued" || known.state === "active";
  if (running && prompt.trigger === "regenerate" && prompt.turnId !== turnId) return known;
  const onDisconnect = options.onDisconnect ?? room.record.onDisconnect ?? "abort";
  return existing(room, room.promptAgain(user, prompt, { onDisconnect, agent, apiKey }));
}

/** An answer that somebody else gave before counts; this client's stream goes on all the same. */
function answerAll(
  room: SessionRoom,
  user: string,
  answers: Extract<ChatCommand, { kind: "answers" }>["answers"],
): TurnFrom {
  const asked = answers.map(({ questionId }) => room.store.questions.get(questionId));
  const last = asked.at(-1);
  const questionId = last?.question.questionId;
  if (!last || !questionId || asked.includes(undefined)) throw new AppError("not_found", "There is no such question.");
  for (const { questionId, ...answer } of answers) answerOnce(room, user, { questionId, answer });
  return { turn: existing(room, last.question.turnId), from: { at: "answer", questionId } };
}

function answerOnce(room: SessionRoom, user: string, given: { questionId: string; answer: unknown }): void {
  try {
    room.answerElsewhere(user, given.questionId, given.answer);
  } catch (error) {
    if (!(error instanceof AppError && error.code === "already_answered")) throw error;
  }
}

function open(room: SessionRoom, asker: Entered, place: TurnFrom & { options: ChatOptions }): OpenedChat {
  const { user, watched, gone, holder, leave } = asker;
  const { turn, from, options } = place;
  const { turnId } = turn.prompt;
  if (holder) room.turns.clock.accessUntil(holder.expiresAt);
  if (turn.state === "withdrawn") throw new AppError("conflict", "This prompt was withdrawn. Send it with a new id.");
  if (!isLogged(room, turn)) {
    throw new AppError("not_found", "This turn is no longer in the log; its message is in the history.");
  }
  const named = options.events === "named";
  const { approvals } = options;
  // A client that begins anew has no use for a request that was answered: its copy of the call would stay unfinished.
  const answered = approvals === "native" && from.at === "start" ? room.store.questions.settledOf(turnId) : [];
  // Whoever may come back by number, of a chunk or of a frame on the chat socket, gets only what is counted.
  const transient = watched && options.transient !== false && from.at !== "index";
  const kind: StreamKind = { approvals, answered, named, transient };
  if (watched) room.askers.arrived(turnId, user);
  room.turns.reads.opened(user, turnId);
  const onEnd = (by: EndedBy) => {
    leave();
    room.turns.reads.closed(user, turnId);
    const read = options.chatId === undefined ? undefined : room.store.turns.standing(turnId);
    if (options.chatId !== undefined && read?.hasBegun) {
      room.turns.places.note(user, options.chatId, { ...read, half: !read.hasEnded });
    }
    if (watched) room.askers.left(turnId, user, by);
  };
  const { promise: live, resolve: onLive } = Promise.withResolvers<void>();
  const { startSeq } = turn;
  const body = room.journal.streams.open({ turnId, kind, from, startSeq, onEnd, onLive, gone, holder });
  room.turns.tellQueue();
  return { turnId, body, live };
}

function respond({ turnId, body }: OpenedChat): Response {
  return new Response(body, { headers: { ...SSE_HEADERS, "x-workflow-run-id": turnId, "x-agent-ops": "1" } });
}

function existing(room: SessionRoom, turnId: string): StoredTurn {
  const turn = room.store.turns.get(turnId);
  if (!turn) throw new AppError("internal", "The turn is not stored.");
  return turn;
}
