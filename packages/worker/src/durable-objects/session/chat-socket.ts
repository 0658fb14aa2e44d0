import { AppError, toErrorBody } from "@agent-ops/shared/errors";
import { type ChatFrame, chatFrame, parseJsonFrame } from "@agent-ops/shared/frames";
import { LIMITS } from "@agent-ops/shared/limits";
import type { Role } from "@agent-ops/shared/sessions";
import type { Access } from "../../lib/access.ts";
import { parseChatFrame, toChatCommand } from "../../lib/chat-request.ts";
import { logError } from "../../lib/log.ts";
import { optionsFrom } from "../../lib/request-options.ts";
import { type OpenedChat, openChat, openResume } from "./chat-desk.ts";
import { requireRole } from "./client-commands.ts";
import type { SessionRoom } from "./session-room.ts";

/** The part of a WebSocket that a chat needs. */
export interface ChatSocket {
  send(text: string): void;
  close(code: number, reason: string): void;
}

/** A stream on its way to the client. */
type Running = { turnId: string; stop(): Promise<void> };
type Connection = { socket: ChatSocket; by: Access; sent: number; requests: Map<string, Running> };

/** WSC5: a replay leaves room for others; what happens now goes on at once. */
const PACE_BYTES = 256 * 1024;
const PACE_MS = 10;
const TOO_MUCH = 4413;

/** WSC1 to WSC4: the AI SDK's WebSocketChatTransport. */
export class ChatSockets {
  #room: SessionRoom;
  #connections = new Map<ChatSocket, Connection>();

  constructor(room: SessionRoom) {
    this.#room = room;
  }

  async onFrame(socket: ChatSocket, by: Access, text: string): Promise<void> {
    const connection = this.#connections.get(socket) ?? { socket, by, sent: 0, requests: new Map() };
    this.#connections.set(socket, connection);
    const parsed = chatFrame.safeParse(text.length <= LIMITS.chatBodyBytes ? parseJsonFrame(text)?.[0] : undefined);
    if (!parsed.success) return socket.close(1007, "That frame is not one of the chat transport's.");
    try {
      await this.#onRequest(connection, parsed.data);
    } catch (error) {
      if (!(error instanceof AppError)) logError("chat socket failed", error);
      this.#tell(connection, {
        type: "error",
        requestId: parsed.data.requestId,
        errorText: toErrorBody(error).message,
      });
    }
  }

  /** WSC3: a socket that closes says nothing about its turns. */
  async onClose(socket: ChatSocket): Promise<void> {
    const requests = this.#connections.get(socket)?.requests.values() ?? [];
    this.#connections.delete(socket);
    for (const request of requests) await request.stop();
  }

  async #onRequest(connection: Connection, request: ChatFrame): Promise<void> {
    const { by } = connection;
    const role = this.#room.door.roleOf(by);
    if (request.type === "abort") return this.#abort(connection, request.requestId, role);
    requireRoom(connection, request.requestId);
    const options = optionsFrom((name) => request.headers[name], request.body);
    if (request.type === "resume") {
      this.#room.turnstile.read(by);
      const startIndex = request.lastSequence === undefined ? undefined : request.lastSequence + 1;
      const resume = { chatId: request.id, startIndex, options };
      const opened = await openResume(this.#room, { user: by.user, watched: false }, resume);
      if (!opened) return this.#tell(connection, { type: "no-active", requestId: request.requestId });
      return this.#pump(connection, request.requestId, { opened, sequence: startIndex ?? 0 });
    }
    requireRole(role, "collaborator");
    this.#room.turnstile.act(by);
    const body = parseChatFrame({ ...request.body, ...request });
    const command = toChatCommand(body, { ...options, onDisconnect: "detach" }, () => crypto.randomUUID());
    this.#room.door.requireChatter(by, command);
    const opened = openChat(this.#room, { user: by.user, watched: false }, command);
    return this.#pump(connection, request.requestId, { opened, sequence: 0 });
  }

  /** WSC2: `stop()` is told as what it is, also while the prompt waits. */
  async #abort(connection: Connection, id: string, role: Role): Promise<void> {
    const request = connection.requests.get(id);
    if (!request) return;
    connection.requests.delete(id);
    await request.stop();
    requireRole(role, "collaborator");
    const { turns, door } = this.#room;
    const { by } = connection;
    door.requireOwnTurn(by, request.turnId);
    const queued = turns.queue.find(({ turnId }) => turnId === request.turnId);
    if (queued) this.#room.withdraw(by.user, queued.promptId);
    if (turns.activeTurnId === request.turnId) this.#room.abort(by.user, request.turnId);
  }

  async #pump(connection: Connection, id: string, { opened, sequence }: { opened: OpenedChat; sequence: number }) {
    const reader = opened.body.getReader();
    connection.requests.set(id, { turnId: opened.turnId, stop: () => reader.cancel() });
    this.#tell(connection, { type: "start", requestId: id });
    const head = `{"type":"chunk","requestId":${JSON.stringify(id)},"sequence":`;
    const isWanted = () => connection.requests.has(id) && this.#connections.has(connection.socket);
    let next = sequence;
    let isLive = false;
    void opened.live.then(() => {
      isLive = true;
    });
    for await (const data of framesOf(reader)) {
      if (!isWanted()) return;
      this.#send(connection, `${head}${next++},"chunk":${data}}`);
      if (connection.sent > LIMITS.chatSocketBytes) return connection.socket.close(TOO_MUCH, "Resume on a new socket.");
      if (!isLive && connection.sent % PACE_BYTES < data.length)
        await Promise.race([opened.live, this.#room.pause(PACE_MS)]);
    }
    if (!isWanted()) return;
    connection.requests.delete(id);
    this.#tell(connection, { type: "end", requestId: id });
  }

  #tell(connection: Connection, message: { type: string; requestId: string; errorText?: string }): void {
    this.#send(connection, JSON.stringify(message));
  }

  #send(connection: Connection, text: string): void {
    connection.sent += text.length;
    connection.socket.send(text);
  }
}

/** LIM8 */
function requireRoom({ requests }: Connection, id: string): void {
  if (requests.has(id)) throw new AppError("conflict", "This request id is in use on this socket. Choose a new one.");
  if (requests.size < LIMITS.chatSocketRequests) return;
  throw new AppError("too_many", `A chat socket has at most ${LIMITS.chatSocketRequests} requests at once.`);
}

/** The JSON of each chunk of an SSE body. */
async function* framesOf(reader: ReadableStreamDefaultReader<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = "";
  try {
    for (let read = await reader.read(); !read.done; read = await reader.read()) {
      const frames = (rest + decoder.decode(read.value, { stream: true })).split("\n\n");
      rest = frames.pop() ?? "";
      for (const text of frames) {
        const data = /^data: (.*)$/m.exec(text)?.[1];
        if (data !== undefined && data !== "[DONE]") yield data;
      }
    }
  } finally {
    await reader.cancel();
  }
}
