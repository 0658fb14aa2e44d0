import { DurableObject } from "cloudflare:workers";
import { AppError } from "@agent-ops/shared/errors";
import type { UserPresence } from "@agent-ops/shared/events";
import { parseJsonFrame } from "@agent-ops/shared/frames";
import { TIMES } from "@agent-ops/shared/limits";
import type { SessionView } from "@agent-ops/shared/sessions";
import { z } from "zod";
import type { Env } from "../env.ts";
import { actorUser } from "../lib/actor-request.ts";
import { chatCommand, resumeCommand } from "../lib/chat-command.ts";
import { errorResponse } from "../lib/http-errors.ts";
import { logError } from "../lib/log.ts";
import { attempt, type Result } from "../lib/result.ts";
import { chat, resume } from "./session/chat-desk.ts";
import { onClientFrame, requireRole } from "./session/client-commands.ts";
import { greet, historyPage } from "./session/hydration.ts";
import { SESSION_GONE } from "./session/runner-link.ts";
import { SessionRoom } from "./session/session-room.ts";
import { type SessionRecord, SessionStore } from "./session/session-store.ts";
import type { ReaderSocket } from "./session/socket-readers.ts";
import { Tickets } from "./session/tickets.ts";

/** What a socket remembers about itself while the actor sleeps. */
const attachment = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("runner") }),
  z.object({ kind: z.literal("client"), user: z.string(), behind: z.number().optional() }),
]);
type Attachment = z.infer<typeof attachment>;

/** One session as a Durable Object: a shell that lets requests, sockets and alarms into its room. */
export class SessionAgent extends DurableObject<Env> {
  #room: SessionRoom | undefined;
  #tickets = new Tickets();

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
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

  rename(user: string, title: string): Result<SessionView> {
    return attempt(() => {
      requireRole(this.#existing().roleOf(user), "owner");
      this.#existing().rename(user, title);
      return this.#existing().view(user);
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
    for (const socket of this.ctx.getWebSockets()) socket.close(SESSION_GONE, "The session was deleted.");
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
      if (pathname === "/runner") return this.#acceptRunner(room, Number(searchParams.get("epoch")));
      const user =
        actorUser(request) ??
        this.#tickets.redeem(searchParams.get("ticket"), request.headers.get("origin"), Date.now());
      const role = room.roleOf(user);
      if (pathname === "/ws") return this.#acceptClient(room, user, searchParams);
      if (pathname === "/chat/stream") {
        const command = resumeCommand.parse(await request.json());
        return (await resume(room, user, command)) ?? new Response(null, { status: 204 });
      }
      requireRole(role, "collaborator");
      return chat(room, user, chatCommand.parse(await request.json()));
    } catch (error) {
      return errorResponse(error);
    }
  }

  override webSocketMessage(socket: WebSocket, frame: string | ArrayBuffer): void {
    const about = attachmentOf(socket);
    const text = typeof frame === "string" ? frame : "";
    if (!this.#room) return socket.close(SESSION_GONE, "The session is gone.");
    if (about.kind === "client") return onClientFrame(this.#room, { socket, user: about.user }, text);
    for (const raw of parseJsonFrame(text) ?? [undefined]) this.#room.runnerFrame(socket, raw);
  }

  override webSocketClose(socket: WebSocket): void {
    const about = attachmentOf(socket);
    if (!this.#room) return;
    if (about.kind === "runner") return this.#room.runnerGone(socket);
    this.#room.journal.readers.remove(socket);
    this.#room.journal.readers.tell({ type: "user.left", userId: about.user, people: this.#people(socket) });
  }

  override webSocketError(socket: WebSocket, error: unknown): void {
    logError("socket failed", error, { sessionId: this.#room?.record.id });
    this.webSocketClose(socket);
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
      rememberReader: remember,
    });
    for (const socket of this.ctx.getWebSockets()) {
      const about = attachmentOf(socket);
      if (about.kind === "runner") room.runnerRestored(socket);
      else room.journal.readers.add(socket, about.behind ?? room.journal.log.lastSeq);
    }
    return room;
  }

  #acceptRunner(room: SessionRoom, epoch: number): Response {
    const [client, server] = Object.values(new WebSocketPair());
    if (!client || !server) throw new AppError("internal", "No socket pair.");
    this.ctx.acceptWebSocket(server);
    server.serializeAttachment({ kind: "runner" } satisfies Attachment);
    room.runnerConnected(server, epoch);
    return new Response(null, { status: 101, webSocket: client });
  }

  #acceptClient(room: SessionRoom, user: string, query: URLSearchParams): Response {
    const [client, server] = Object.values(new WebSocketPair());
    if (!client || !server) throw new AppError("internal", "No socket pair.");
    this.ctx.acceptWebSocket(server);
    server.serializeAttachment({ kind: "client", user } satisfies Attachment);
    const people = this.#people();
    const cursor = { since: numberOf(query.get("since")), generation: numberOf(query.get("generation")) };
    greet(room, { socket: server, user, people }, cursor);
    room.journal.readers.tell({ type: "user.joined", userId: user, people });
    return new Response(null, { status: 101, webSocket: client });
  }

  #people(except?: WebSocket): UserPresence[] {
    const users = this.ctx.getWebSockets().flatMap((socket) => {
      const about = attachmentOf(socket);
      return socket !== except && about.kind === "client" ? [about.user] : [];
    });
    return [...Map.groupBy(users, (user) => user)].map(([userId, all]) => ({ userId, connections: all.length }));
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

function attachmentOf(socket: ReaderSocket): Attachment {
  return attachment.parse(socket.deserializeAttachment());
}

function remember(socket: ReaderSocket, behind: number | undefined): void {
  socket.serializeAttachment({ ...attachmentOf(socket), behind });
}

function after(ms: number, work: () => void): () => void {
  const timer = setTimeout(work, ms);
  return () => clearTimeout(timer);
}

function numberOf(text: string | null): number | undefined {
  if (text === null) return undefined;
  const value = Number(text);
  if (!Number.isInteger(value) || value < 0)
    throw new AppError("bad_request", "`since` and `generation` are whole numbers.");
  return value;
}
