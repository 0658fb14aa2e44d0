import { AppError, toErrorBody } from "@agent-ops/shared/errors";
import { parseJsonFrame } from "@agent-ops/shared/frames";
import { LIMITS } from "@agent-ops/shared/limits";
import { z } from "zod";
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

const requestId = z.string().min(1).max(128);
const shared = { requestId, id: z.string(), headers: z.record(z.string(), z.string()), body: z.looseObject({}) };
const frame = z.discriminatedUnion("type", [
  z.looseObject({ type: z.literal("send"), ...shared }),
  z.looseObject({ type: z.literal("resume"), ...shared, lastSequence: z.number().int().nonnegative().optional() }),
  z.object({ type: z.literal("abort"), requestId }),
]);
type Frame = z.infer<typeof frame>;

type Connection = { socket: ChatSocket; user: string; sent: number; requests: Map<string, OpenedChat> };

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

  async onFrame(socket: ChatSocket, user: string, text: string): Promise<void> {
    const connection = this.#connections.get(socket) ?? { socket, user, sent: 0, requests: new Map() };
    this.#connections.set(socket, connection);
    const parsed = frame.safeParse(text.length <= LIMITS.chatBodyBytes ? parseJsonFrame(text)?.[0] : undefined);
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
    for (const { body } of requests) if (!body.locked) await body.cancel();
  }

  async #onRequest(connection: Connection, request: Frame): Promise<void> {
    const role = this.#room.roleOf(connection.user);
    if (request.type === "abort") return this.#abort(connection, request.requestId);
    const options = optionsFrom((name) => request.headers[name], request.body);
    if (request.type === "resume") {
      const startIndex = request.lastSequence === undefined ? undefined : request.lastSequence + 1;
      const resume = { chatId: request.id, startIndex, options };
      const opened = await openResume(this.#room, { user: connection.user, watched: false }, resume);
      if (!opened) return this.#tell(connection, { type: "no-active", requestId: request.requestId });
      return this.#pump(connection, request.requestId, { opened, sequence: startIndex ?? 0 });
    }
    requireRole(role, "collaborator");
    const command = toChatCommand(parseChatFrame(request), { ...options, onDisconnect: "detach" }, () =>
      crypto.randomUUID(),
    );
    const opened = openChat(this.#room, { user: connection.user, watched: false }, command);
    return this.#pump(connection, request.requestId, { opened, sequence: 0 });
  }

  /** WSC2: `stop()` is told as what it is. */
  #abort(connection: Connection, id: string): void {
    const opened = connection.requests.get(id);
    connection.requests.delete(id);
    if (opened && this.#room.turns.activeTurnId === opened.turnId) this.#room.abort(connection.user, opened.turnId);
  }

  async #pump(connection: Connection, id: string, { opened, sequence }: { opened: OpenedChat; sequence: number }) {
    connection.requests.set(id, opened);
    this.#tell(connection, { type: "start", requestId: id });
    const head = `{"type":"chunk","requestId":${JSON.stringify(id)},"sequence":`;
    let next = sequence;
    for await (const data of framesOf(opened.body)) {
      if (!connection.requests.has(id) || !this.#connections.has(connection.socket)) return;
      this.#send(connection, `${head}${next++},"chunk":${data}}`);
      if (connection.sent > LIMITS.chatSocketBytes) return connection.socket.close(TOO_MUCH, "Resume on a new socket.");
      if (connection.sent % PACE_BYTES < data.length) await this.#room.pause(PACE_MS);
    }
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

/** The JSON of each chunk of an SSE body. */
async function* framesOf(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const bytes of body) {
    const frames = (rest + decoder.decode(bytes, { stream: true })).split("\n\n");
    rest = frames.pop() ?? "";
    for (const text of frames) {
      const data = /^data: (.*)$/m.exec(text)?.[1];
      if (data !== undefined && data !== "[DONE]") yield data;
    }
  }
}
