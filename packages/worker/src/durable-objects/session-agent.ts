import { DurableObject } from "cloudflare:workers";
import { AppError } from "@agent-ops/shared/errors";
import { parseJsonFrame } from "@agent-ops/shared/frames";
import { LIMITS, TIMES } from "@agent-ops/shared/limits";
import type { SessionView } from "@agent-ops/shared/sessions";
import { z } from "zod";
import type { Env } from "../env.ts";
import { actorUser } from "../lib/actor-request.ts";
import { chatCommand, resumeCommand } from "../lib/chat-command.ts";
import { errorResponse } from "../lib/http-errors.ts";
import { logError } from "../lib/log.ts";
import { attempt, type Result } from "../lib/result.ts";
import { chat, resume } from "./session/chat-desk.ts";
import { ChatSockets } from "./session/chat-socket.ts";
import { onClientFrame, requireRole } from "./session/client-commands.ts";
import { type Cursor, greet, historyPage } from "./session/hydration.ts";
import { SESSION_GONE } from "./session/runner-link.ts";
import { SessionRoom } from "./session/session-room.ts";
import { attachmentOf, rememberBehind, SessionSockets } from "./session/session-sockets.ts";
import { type Member, type SessionRecord, SessionStore } from "./session/session-store.ts";
import { Tickets } from "./session/tickets.ts";

/** One session as a Durable Object: a shell that lets requests, sockets and alarms into its room. */
export class SessionAgent extends DurableObject<Env> {
  #room: SessionRoom | undefined;
  #chats: ChatSockets | undefined;
  #tickets = new Tickets();
  #sockets: SessionSockets;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.#sockets = new SessionSockets(ctx);
    if (SessionStore.exists(this.#storage)) this.#room = this.#enter();
  }

  create(record: SessionRecord, owner: string): Result<SessionView> {
    return attempt(() => {
      if (!this.#room) {
        SessionStore.create(this.#storage, record, owner);
        this.#room = this.#enter();
      }
      return this.#room.view(owner);
    });
  }

  view(user: string): Result<SessionView> {
    return attempt(() => this.#existing().view(user));
  }

  change(user: string, change: { title?: string | undefined; onDisconnect?: "abort" | "detach" | undefined }) {
    return attempt(() => {
      const room = this.#existing();
      requireRole(room.roleOf(user), "owner");
      if (change.title !== undefined) room.rename(user, change.title);
      if (change.onDisconnect) room.setOnDisconnect(user, change.onDisconnect);
      return room.view(user);
    });
  }

  share(user: string, member: Member): Result<Member[]> {
    return attempt(() => {
      requireRole(this.#existing().roleOf(user), "owner");
      return this.#existing().share(user, member);
    });
  }

  unshare(user: string, member: string): Result<void> {
    return attempt(() => {
      const room = this.#existing();
      requireRole(room.roleOf(user), user === member ? "viewer" : "owner");
      room.unshare(user, member);
      this.#sockets.close(SESSION_GONE, "You are no longer a member.", member);
    });
  }

  /** Deletes everything the session has. Its members' lists are told by the caller. */
  async remove(user: string): Promise<Result<string[]>> {
    const members = attempt(() => {
      const room = this.#existing();
      requireRole(room.roleOf(user), "owner");
      room.close();
      return room.store.members().map((member) => member.user);
    });
    if (!members.ok) return members;
    this.#room = undefined;
    this.#sockets.close(SESSION_GONE, "The session was deleted.");
    await this.ctx.storage.deleteAll();
    return members;
  }

  messages(user: string, page: { limit: number; before?: number | undefined }) {
    return attempt(() => {
      this.#existing().roleOf(user);
      return historyPage(this.#existing(), page);
    });
  }

  answer(user: string, questionId: string, raw: unknown) {
    return attempt(() => {
      requireRole(this.#existing().roleOf(user), "collaborator");
      return this.#existing().answer(user, questionId, raw);
    });
  }

  abort(user: string, turnId: string | undefined): Result<void> {
    return attempt(() => {
      requireRole(this.#existing().roleOf(user), "collaborator");
      this.#existing().abort(user, turnId);
    });
  }

  /** ACL4 */
  ticket(user: string, origin: string | null): Result<string> {
    return attempt(() => {
      this.#existing().roleOf(user);
      return this.#tickets.issue({ user, origin }, Date.now() + TIMES.ticketMs);
    });
  }

  override async fetch(request: Request): Promise<Response> {
    try {
      const { pathname, searchParams } = new URL(request.url);
      const room = this.#existing();
      if (pathname === "/runner") {
        const epoch = Number(searchParams.get("epoch"));
        return this.#sockets.accept({ kind: "runner" }, (socket) => room.runner.connected(socket, epoch));
      }
      const user = actorUser(request) ?? this.#redeem(request, searchParams);
      const role = room.roleOf(user);
      if (pathname === "/ws") return this.#acceptReader(room, user, cursorOf(searchParams));
      if (pathname === "/chat/ws") return this.#sockets.accept({ kind: "chat", user }, () => undefined);
      if (pathname === "/chat/stream") {
        const command = resumeCommand.parse(await request.json());
        return (await resume(room, user, command, request.signal)) ?? new Response(null, { status: 204 });
      }
      if (role === "viewer") throw new AppError("not_found", "There is no chat here for a viewer.");
      return chat(room, user, chatCommand.parse(await request.json()), request.signal);
    } catch (error) {
      return errorResponse(error);
    }
  }

  override async webSocketMessage(socket: WebSocket, frame: string | ArrayBuffer): Promise<void> {
    const about = attachmentOf(socket);
    const text = typeof frame === "string" ? frame : "";
    if (!this.#room) return socket.close(SESSION_GONE, "The session is gone.");
    if (about.kind === "client") return onClientFrame(this.#room, { socket, user: about.user }, text);
    if (about.kind === "chat") return this.#chats?.onFrame(socket, about.user, text);
    const frames = text.length <= LIMITS.frameBytes ? parseJsonFrame(text) : undefined;
    for (const raw of frames ?? [undefined]) this.#room.runner.frame(socket, raw);
  }

  override async webSocketClose(socket: WebSocket): Promise<void> {
    const about = attachmentOf(socket);
    if (!this.#room) return;
    if (about.kind === "runner") return this.#room.runner.gone(socket);
    if (about.kind === "chat") return this.#chats?.onClose(socket);
    const { readers } = this.#room.journal;
    readers.remove(socket);
    readers.tell({ type: "user.left", userId: about.user, people: this.#sockets.people(socket) });
  }

  override async webSocketError(socket: WebSocket, error: unknown): Promise<void> {
    logError("socket failed", error, { sessionId: this.#room?.record.id });
    await this.webSocketClose(socket);
  }

  override alarm(): void {
    this.#room?.turns.clock.onAlarm();
  }

  #existing(): SessionRoom {
    if (!this.#room) throw new AppError("not_found", "There is no such session.");
    return this.#room;
  }

  #enter(): SessionRoom {
    const room = new SessionRoom({
      storage: this.#storage,
      clock: { now: () => Date.now(), after },
      times: { ...TIMES, ...z.record(z.string(), z.number()).parse(JSON.parse(this.env.TIMES ?? "{}")) },
      newId: () => crypto.randomUUID(),
      setAlarm: (at) => void this.ctx.storage.setAlarm(at),
      requestRunner: (epoch) => this.#inBackground(() => this.env.POOL.getByName("pool").open(room.record.id, epoch)),
      changed: () => this.#inBackground(() => this.#tellMembers(room)),
      crash: (error) => this.ctx.abort(`The store refused a write: ${error}`),
      rememberReader: rememberBehind,
    });
    this.#chats = new ChatSockets(room);
    for (const socket of this.#sockets.all) {
      const about = attachmentOf(socket);
      if (about.kind === "runner") room.runner.restored(socket);
      if (about.kind === "client") room.journal.readers.add(socket, about.behind ?? room.journal.log.lastSeq);
    }
    return room;
  }

  #acceptReader(room: SessionRoom, user: string, cursor: Cursor): Response {
    return this.#sockets.accept({ kind: "client", user }, (socket) => {
      const people = this.#sockets.people();
      greet(room, { socket, user, people }, cursor);
      room.journal.readers.tell({ type: "user.joined", userId: user, people });
    });
  }

  #redeem(request: Request, query: URLSearchParams): string {
    return this.#tickets.redeem(query.get("ticket"), request.headers.get("origin"), Date.now());
  }

  async #tellMembers(room: SessionRoom): Promise<void> {
    const users = room.store.members().map(({ user }) => user);
    await Promise.all(users.map((user) => this.env.USERS.getByName(user).put(room.view(user))));
  }

  #inBackground(work: () => Promise<unknown>): void {
    this.ctx.waitUntil(work().catch((error) => logError("background work failed", error)));
  }

  get #storage() {
    const { storage } = this.ctx;
    return {
      all: (query: string, ...bindings: (string | number | null)[]) => storage.sql.exec(query, ...bindings).toArray(),
      transaction: <T>(work: () => T) => storage.transactionSync(work),
    };
  }
}

function after(ms: number, work: () => void): () => void {
  const timer = setTimeout(work, ms);
  return () => clearTimeout(timer);
}

const wholeNumber = z.coerce.number().int().nonnegative().optional();
const cursorQuery = z.object({ since: wholeNumber, generation: wholeNumber });

function cursorOf(query: URLSearchParams): Cursor {
  const parsed = cursorQuery.safeParse(Object.fromEntries(query));
  if (!parsed.success) throw new AppError("bad_request", "`since` and `generation` are whole numbers.");
  return { since: parsed.data.since, generation: parsed.data.generation };
}
