import { DurableObject } from "cloudflare:workers";
import { AppError } from "@agent-ops/shared/errors";
import type { AuditEntry } from "@agent-ops/shared/events";
import { parseJsonFrame } from "@agent-ops/shared/frames";
import { LIMITS, TIMES } from "@agent-ops/shared/limits";
import type { SessionView } from "@agent-ops/shared/sessions";
import { z } from "zod";
import type { Env } from "../env.ts";
import type { Access } from "../lib/access.ts";
import { actorAccess } from "../lib/actor-request.ts";
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

const AUDIT_PAGE = 200;

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
      this.#dismiss((holder) => holder.user === member, "You are no longer a member.");
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
    this.#sockets.closeAll("The session was deleted.");
    await this.ctx.storage.deleteAll();
    return members;
  }

  /** ACL9: what an API token opened ends with it. */
  dismiss(token: { user: string; tokenId: string }): void {
    const isOut = (holder: Access) => holder.user === token.user && holder.tokenId === token.tokenId;
    this.#dismiss(isOut, "The API token was revoked.");
  }

  terminate(user: string): Result<SessionView> {
    return attempt(() => {
      requireRole(this.#existing().roleOf(user), "owner");
      this.#existing().terminate(user);
      return this.#existing().view(user);
    });
  }

  audit(user: string): Result<AuditEntry[]> {
    return attempt(() => {
      this.#existing().roleOf(user);
      return this.#existing().store.recentAudit(AUDIT_PAGE);
    });
  }

  channels(user: string) {
    return attempt(() => {
      this.#existing().roleOf(user);
      return this.#existing().store.turns.channels();
    });
  }

  /** POOL3: the pool gave up the host that had this lease. */
  runnerLost(epoch: number): void {
    this.#room?.runner.lost(epoch);
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
  ticket(access: Access, origin: string | null): Result<string> {
    return attempt(() => {
      this.#existing().roleOf(access.user);
      return this.#tickets.issue({ access, origin }, Date.now() + TIMES.ticketMs);
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
      const by = actorAccess(request) ?? this.#redeem(request, searchParams);
      const role = room.roleOf(by.user);
      if (pathname === "/ws") return this.#acceptReader(room, by, cursorOf(searchParams));
      if (pathname === "/chat/ws") return this.#acceptChat(room, by);
      if (pathname === "/chat/stream") {
        const command = resumeCommand.parse(await request.json());
        return (await resume(room, by, command, request.signal)) ?? new Response(null, { status: 204 });
      }
      if (role === "viewer") throw new AppError("not_found", "There is no chat here for a viewer.");
      room.pace(by.user);
      return chat(room, by, chatCommand.parse(await request.json()), request.signal);
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

  override async webSocketClose(socket: WebSocket, code = 1006): Promise<void> {
    // The other side waits for the answer to its close before it lets the connection go.
    socket.close();
    const about = attachmentOf(socket);
    if (!this.#room) return;
    if (about.kind === "runner") return this.#room.runner.gone(socket, code);
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
      actsPerSecond: Number(this.env.ACTS_PER_SECOND ?? LIMITS.actsPerSecond),
      newId: () => crypto.randomUUID(),
      setAlarm: (at) => void this.ctx.storage.setAlarm(at),
      requestRunner: (epoch) =>
        this.#inBackground(() => this.env.POOL.getByName("pool").open(room.record.id, epoch, room.record.agent)),
      changed: () => this.#inBackground(() => this.#tellMembers(room)),
      crash: (error) => this.ctx.abort(`The store refused a write: ${error}`),
      rememberReader: rememberBehind,
      dismissExpired: (now) => this.#dismissExpired(room, now),
    });
    this.#chats = new ChatSockets(room);
    for (const socket of this.#sockets.all) {
      const about = attachmentOf(socket);
      if (about.kind === "runner") room.runner.restored(socket);
      if (about.kind === "client") room.journal.readers.add(socket, about.behind ?? room.journal.log.lastSeq);
    }
    return room;
  }

  #acceptChat(room: SessionRoom, by: Access): Response {
    room.turns.clock.accessUntil(by.expiresAt);
    return this.#sockets.accept({ kind: "chat", ...by }, () => undefined);
  }

  #acceptReader(room: SessionRoom, by: Access, cursor: Cursor): Response {
    const { user } = by;
    room.turns.clock.accessUntil(by.expiresAt);
    return this.#sockets.accept({ kind: "client", ...by }, (socket) => {
      const people = this.#sockets.people();
      greet(room, { socket, user, people }, cursor);
      room.journal.readers.tell({ type: "user.joined", userId: user, people });
    });
  }

  #dismiss(isOut: (holder: Access) => boolean, reason: string): void {
    this.#sockets.dismiss(isOut, reason);
    this.#room?.journal.streams.dismiss(isOut, reason);
  }

  #dismissExpired(room: SessionRoom, now: number): number {
    this.#dismiss((holder) => holder.expiresAt <= now, "Your sign-in has expired.");
    return Math.min(this.#sockets.earliestExpiry, room.journal.streams.earliestExpiry);
  }

  #redeem(request: Request, query: URLSearchParams): Access {
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
