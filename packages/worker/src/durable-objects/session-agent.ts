import { DurableObject } from "cloudflare:workers";
import { AppError } from "@agent-ops/shared/errors";
import { type PromptInput, parseJsonFrame } from "@agent-ops/shared/frames";
import { LIMITS } from "@agent-ops/shared/limits";
import type { ChildInfo, SessionView } from "@agent-ops/shared/sessions";
import type { Env } from "../env.ts";
import type { Access } from "../lib/access.ts";
import { actorAccess } from "../lib/actor-request.ts";
import { chatCommand, resumeCommand } from "../lib/chat-command.ts";
import { errorResponse } from "../lib/http-errors.ts";
import { logError } from "../lib/log.ts";
import { attempt, type Result } from "../lib/result.ts";
import { fitsIn } from "../lib/utf8-length.ts";
import type { AuditPage } from "./session/audit-table.ts";
import { chat, resume } from "./session/chat-desk.ts";
import type { FamilyNews } from "./session/child-news.ts";
import { onClientFrame } from "./session/client-commands.ts";
import { type Cursor, greet, historyPage, readCursor, v2Page } from "./session/hydration.ts";
import { SESSION_GONE } from "./session/runner-link.ts";
import { SessionHouse } from "./session/session-house.ts";
import type { SessionRoom } from "./session/session-room.ts";
import { attachmentOf } from "./session/session-sockets.ts";
import type { Member, SessionRecord } from "./session/session-store.ts";

/** One session as a Durable Object: a shell that lets requests, sockets and alarms into its room. */
export class SessionAgent extends DurableObject<Env> {
  #house: SessionHouse;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.#house = new SessionHouse(ctx, env);
  }

  async create(record: SessionRecord, owner: string, family: readonly Member[] = []): Promise<Result<SessionView>> {
    const view = attempt(() => this.#house.create(record, owner, family).view(owner));
    if (view.ok && record.parentId) await this.#house.followParent();
    return view;
  }

  view(by: Access): Result<SessionView> {
    return attempt(() => this.#house.forReading(by).view(by.user));
  }

  members(by: Access): Result<Member[]> {
    return attempt(() => this.#house.forReading(by).store.members());
  }

  audit(by: Access, before?: number): Result<AuditPage> {
    return attempt(() => this.#house.forReading(by).store.audit.page(LIMITS.auditPage, before));
  }

  channels(by: Access) {
    return attempt(() => this.#house.forReading(by).store.turns.channels.all());
  }

  messages(by: Access, page: { limit: number; before?: number | undefined }) {
    return attempt(() => {
      const room = this.#house.forReading(by);
      if (page.before === undefined) room.turns.historyRead(by.user);
      return historyPage(room, page);
    });
  }

  /** LOG10 */
  v2Messages(by: Access, page: { limit: number; before?: number | undefined }) {
    return attempt(() => v2Page(this.#house.forReading(by), page));
  }

  /** RUN9: the files of the latest diff that the runner told. */
  diff(by: Access): Result<unknown[]> {
    return attempt(() => this.#house.forReading(by).requests.latestDiff()?.files ?? []);
  }

  /** TOOL3 */
  asker(): Result<{ user: string; agent: string }> {
    return attempt(() => this.#house.existing().asker());
  }

  prompt(by: Access, input: PromptInput): Result<{ turnId: string }> {
    return attempt(() => this.#house.forAct(by, "collaborator").prompt(by.user, input));
  }

  children(by: Access): Result<ChildInfo[]> {
    return attempt(() => this.#house.forReading(by).family.children);
  }

  /** LIFE4: a session is being made from this one; those who will be members of it. */
  adopt(by: Access, child: Omit<ChildInfo, "openable">): Result<Member[]> {
    return attempt(() => {
      const room = this.#house.forAct(by, "collaborator");
      room.family.adopt(by.user, child);
      return room.store.members();
    });
  }

  childChanged(child: Omit<ChildInfo, "openable">): void {
    this.#house.room?.family.changed(child);
  }

  /** LIFE4: the members that hold for a child that is here now. */
  childMade(child: Omit<ChildInfo, "openable">): FamilyNews | undefined {
    const { room } = this.#house;
    room?.family.made(child);
    return room && { version: room.store.membersVersion(), members: room.store.members() };
  }

  /** A child could not be made, as far as the one who asked for it knows. */
  childFailed(childSessionId: string): Promise<void> {
    return this.#house.tellChildren(childSessionId);
  }

  childLeft(childSessionId: string): void {
    this.#house.room?.family.left(childSessionId);
  }

  orphan(): void {
    this.#house.room?.orphan();
  }

  /** What became of members of the parent session; says whether there is a session here. */
  follow(news: FamilyNews): Promise<boolean> {
    return this.#house.follow(news);
  }

  async change(by: Access, change: { title?: string | undefined; onDisconnect?: "abort" | "detach" | undefined }) {
    const view = attempt(() => {
      const room = this.#house.forAct(by, "owner");
      if (change.title !== undefined) room.rename(by.user, change.title);
      if (change.onDisconnect) room.setOnDisconnect(by.user, change.onDisconnect);
      return room.view(by.user);
    });
    await this.#house.lists?.settled();
    return view;
  }

  async share(by: Access, member: Member): Promise<Result<Member[]>> {
    const members = attempt(() => {
      const after = this.#house.forAct(by, "owner").people.share(by.user, member);
      if (member.role !== "owner")
        this.#house.dismiss(({ widget }) => widget?.by === member.user, "The widget was closed.");
      return after;
    });
    if (members.ok) await this.#house.tellEverybody();
    return members;
  }

  async unshare(by: Access, member: string): Promise<Result<void>> {
    const done = attempt(() => {
      this.#house.forAct(by, by.user === member ? "viewer" : "owner").people.unshare(by.user, member);
      this.#house.dismissMember(member);
    });
    if (done.ok) await this.#house.tellEverybody();
    return done;
  }

  /** ACL11: an owner lets a visitor in; who may do that is decided here, and kept for the record. */
  admitVisitor(by: Access, visitor: string): Result<void> {
    return attempt(() => {
      const room = this.#house.forAct(by, "owner");
      room.people.requireShareable();
      room.store.saveVisited();
      room.note(by.user, "widget-token", visitor);
    });
  }

  async remove(by: Access): Promise<Result<void>> {
    const allowed = attempt(() => void this.#house.forAct(by, "owner"));
    if (allowed.ok) await this.#house.erase();
    return allowed;
  }

  /** ACL9: what an API token opened ends with it, and so does what was opened by a widget token made with it. */
  dismiss(tokenId: string): void {
    this.#house.room?.door.revoke(tokenId);
    this.#house.dismiss((holder) => holder.tokenId === tokenId, "The API token was revoked.");
  }

  terminate(by: Access): Result<SessionView> {
    return attempt(() => {
      const room = this.#house.forAct(by, "owner");
      room.terminate(by.user);
      return room.view(by.user);
    });
  }

  /** POOL3: the pool gave up the host that had this lease. */
  runnerLost(epoch: number): void {
    this.#house.room?.runner.lost(epoch);
  }

  answer(by: Access, questionId: string, raw: unknown) {
    return attempt(() => {
      const room = this.#house.forAct(by, "collaborator");
      room.door.requireAnswerer(by, questionId);
      return room.answerElsewhere(by.user, questionId, raw);
    });
  }

  abort(by: Access, turnId: string | undefined): Result<void> {
    return attempt(() => {
      const room = this.#house.forAct(by, "collaborator");
      room.door.requireOwnTurn(by, turnId ?? room.turns.activeTurnId);
      room.abort(by.user, turnId);
    });
  }

  /** ACL4 */
  ticket(access: Access, origin: string | null): Result<string> {
    return attempt(() => {
      this.#house.forAct(access, "viewer");
      return this.#house.tickets.issue({ access, origin }, Date.now());
    });
  }

  override async fetch(request: Request): Promise<Response> {
    try {
      const { pathname, searchParams } = new URL(request.url);
      // First of all: who may do what is decided at the moment of the act.
      const body: unknown = request.method === "POST" ? await request.json() : undefined;
      const room = this.#house.existing();
      if (pathname === "/runner") {
        const epoch = Number(searchParams.get("epoch"));
        return this.#house.sockets.accept({ kind: "runner" }, (socket) => room.runner.connected(socket, epoch));
      }
      const { tickets } = this.#house;
      const ticket = searchParams.get("ticket");
      const by = actorAccess(request) ?? tickets.redeem(ticket, request.headers.get("origin"), Date.now());
      const role = room.door.roleOf(by);
      if (pathname === "/ws") return this.#acceptReader(room, by, readCursor(searchParams));
      if (pathname === "/chat/ws") return this.#acceptChat(room, by);
      if (pathname === "/chat/stream") {
        room.turnstile.read(by);
        return (
          (await resume(room, by, resumeCommand.parse(body), request.signal)) ?? new Response(null, { status: 204 })
        );
      }
      if (role === "viewer") throw new AppError("not_found", "There is no chat here for a viewer.");
      room.turnstile.act(by);
      const command = chatCommand.parse(body);
      room.door.requireChatter(by, command);
      return chat(room, by, command, request.signal);
    } catch (error) {
      return errorResponse(error);
    }
  }

  override webSocketMessage(socket: WebSocket, frame: string | ArrayBuffer): void | Promise<void> {
    this.#house.timers.catchUp();
    const about = attachmentOf(socket);
    const text = typeof frame === "string" ? frame : "";
    if (!this.#house.room) return socket.close(SESSION_GONE, "The session is gone.");
    // ACL9: one that was closed can still send until it agrees.
    if (socket.readyState !== WebSocket.OPEN) return;
    if (about.kind === "client") return onClientFrame(this.#house.room, { socket, by: about }, text);
    if (about.kind === "chat") return this.#house.chats?.onFrame(socket, about, text);
    const frames = fitsIn(LIMITS.frameBytes, text) ? parseJsonFrame(text) : undefined;
    for (const raw of frames ?? [undefined]) this.#house.room.runner.frame(socket, raw);
  }

  override async webSocketClose(socket: WebSocket, code = 1006): Promise<void> {
    // The other side waits for the answer to its close before it lets the connection go.
    socket.close();
    const about = attachmentOf(socket);
    if (!this.#house.room) return;
    if (about.kind === "runner") return this.#house.room.runner.gone(socket, code);
    if (about.kind === "chat") return this.#house.chats?.onClose(socket);
    const { readers } = this.#house.room.journal;
    readers.remove(socket);
    this.#house.room.requests.left(socket);
    readers.tell({ type: "user.left", userId: about.user, people: this.#house.sockets.people(socket) });
    this.#house.peopleChanged();
  }

  override async webSocketError(socket: WebSocket, error: unknown): Promise<void> {
    logError("socket failed", error, { sessionId: this.#house.room?.record.id });
    await this.webSocketClose(socket);
  }

  override alarm(): void {
    this.#house.onAlarm();
  }

  #acceptChat(room: SessionRoom, by: Access): Response {
    room.turns.clock.accessUntil(by.expiresAt);
    return this.#house.sockets.accept({ kind: "chat", ...by }, () => undefined);
  }

  #acceptReader(room: SessionRoom, by: Access, cursor: Cursor): Response {
    const { user } = by;
    if (by.widget) throw new AppError("forbidden", "A visitor has the chat's socket alone.");
    room.turns.clock.accessUntil(by.expiresAt);
    return this.#house.sockets.accept({ kind: "client", ...by, chunks: cursor.chunks }, (socket) => {
      const people = this.#house.sockets.people();
      greet(room, { socket, user, people }, cursor);
      room.journal.readers.tell({ type: "user.joined", userId: user, people });
      this.#house.peopleChanged();
    });
  }
}
