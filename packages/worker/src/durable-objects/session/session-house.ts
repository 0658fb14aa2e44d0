import { AppError } from "@agent-ops/shared/errors";
import { FIXED_TIMES, LIMITS } from "@agent-ops/shared/limits";
import type { Role } from "@agent-ops/shared/sessions";
import type { Times } from "@agent-ops/shared/times";
import type { Env } from "../../env.ts";
import type { Access } from "../../lib/access.ts";
import { Load } from "../../lib/load.ts";
import { logError } from "../../lib/log.ts";
import { metrics } from "../../lib/metrics.ts";
import { timesOf } from "../../lib/times-of.ts";
import { ActorTimers } from "./actor-timers.ts";
import { ChatSockets } from "./chat-socket.ts";
import type { FamilyNews } from "./child-news.ts";
import { requireRole } from "./client-commands.ts";
import { LazyAlarm } from "./lazy-alarm.ts";
import { ListNews, type Look } from "./list-news.ts";
import { Relatives } from "./relatives.ts";
import { SessionRoom } from "./session-room.ts";
import { attachmentOf, rememberBehind, SessionSockets } from "./session-sockets.ts";
import { type Member, type SessionRecord, SessionStore } from "./session-store.ts";
import { Tickets } from "./tickets.ts";

/** Under which name a session keeps what the lists were told last. */
const TOLD = "told";

/** Of all sessions of this process. */
const load = new Load();

/** The actor's side of a session: its room, if the session exists, and what the runtime gives the room to work with. */
export class SessionHouse {
  readonly tickets = new Tickets();
  readonly timers = new ActorTimers();
  readonly relatives: Relatives;
  readonly sockets: SessionSockets;
  room: SessionRoom | undefined;
  chats: ChatSockets | undefined;
  lists: ListNews | undefined;
  #ctx: DurableObjectState;
  #env: Env;
  #times: Times;
  #alarm: LazyAlarm;

  constructor(ctx: DurableObjectState, env: Env) {
    this.#ctx = ctx;
    this.#env = env;
    this.#times = timesOf(env);
    this.#alarm = new LazyAlarm((at) => void ctx.storage.setAlarm(at));
    this.sockets = new SessionSockets(ctx);
    this.relatives = new Relatives(env.SESSIONS);
    if (SessionStore.exists(this.#storage)) this.room = this.#enter();
  }

  /** Making a session that exists changes nothing. */
  create(record: SessionRecord, owner: string, family: readonly Member[]): SessionRoom {
    if (this.room) return this.room;
    SessionStore.create(this.#storage, record, owner, family);
    metrics.count("sessions.created");
    const room = this.#enter();
    this.room = room;
    if (family.length > 0) this.lists?.within(0);
    return room;
  }

  existing(): SessionRoom {
    if (!this.room) throw new AppError("not_found", "There is no such session.");
    return this.room;
  }

  /** ACL2, LIM3 */
  forReading(by: Access): SessionRoom {
    const room = this.existing();
    room.door.roleOf(by);
    room.turnstile.read(by);
    return room;
  }

  /** ACL6, LIM1: the room, for somebody who may act in it now. */
  forAct(by: Access, least: Role): SessionRoom {
    const room = this.existing();
    requireRole(room.door.roleOf(by), least);
    room.turnstile.act(by);
    return room;
  }

  /** LIFE4: the parent's members can have changed since somebody asked for this session to be made. */
  async followParent(): Promise<void> {
    const room = this.existing();
    const members = await this.relatives.membersOfParent(room.record);
    if (this.room !== room || members === "unreached") return;
    if (members === "gone") return room.orphan();
    await this.follow(room.people.asNews(members));
  }

  /** LIFE4: says whether there is a session. */
  async follow(news: FamilyNews): Promise<boolean> {
    const { room } = this;
    if (!room) return false;
    const changed = room.record.parentId ? room.people.follow(news) : [];
    for (const { user, role } of changed) {
      if (role !== "owner") this.dismiss(({ widget }) => widget?.by === user, "The widget was closed.");
      if (!role) this.dismissMember(user);
    }
    await this.tellEverybody();
    return true;
  }

  /** Those who have to know of a change of members. */
  async tellEverybody(): Promise<void> {
    await Promise.all([this.tellChildren(), this.lists?.settled()]);
  }

  /** LIFE4: what is not told now is told later. A child that was never made, as far as anybody knows, is not waited for. */
  async tellChildren(failed?: string): Promise<void> {
    const { room } = this;
    if (!room) return;
    const telling = [...room.news.due()].map(async ([childSessionId, news]) => {
      const answer = await this.relatives.tellChild(childSessionId, news);
      if (this.room !== room) return;
      if (answer === "heard") return room.news.told(childSessionId, news.version);
      const isMissing = childSessionId === failed || room.news.isMissing(childSessionId);
      if (answer === "not there" && isMissing) room.family.left(childSessionId);
    });
    await Promise.all(telling);
  }

  /** Deletes everything the session has, here and elsewhere, before anybody can make it anew under its id. */
  async erase(): Promise<void> {
    this.existing();
    // Before the rest, during which no answer comes in to what was asked before it.
    const listed = (await this.lists?.close()) ?? [];
    const room = this.existing();
    const { record, family } = room;
    const { children } = family;
    await this.#ctx.blockConcurrencyWhile(() => this.#erase(room, listed));
    this.#inBackground(() => this.relatives.part(record, children));
  }

  async #erase(room: SessionRoom, listed: readonly string[]): Promise<void> {
    const { id } = room.record;
    const members = room.store.members().map(({ user }) => user);
    room.close();
    this.room = undefined;
    this.sockets.closeAll("The session was deleted.");
    await this.#env.POOL.getByName("pool").forget(id);
    const everybody = new Set([...members, ...listed]);
    await Promise.all([...everybody].map((user) => this.#env.USERS.getByName(user).remove(id)));
    await this.#ctx.storage.deleteAll();
    this.#alarm.forget();
    metrics.count("sessions.deleted");
  }

  onAlarm(): void {
    this.#alarm.forget();
    this.room?.turns.clock.onAlarm();
  }

  /** LIFE7 */
  peopleChanged(): void {
    this.lists?.within(this.#times.presenceMs);
  }

  dismissMember(member: string): void {
    const isOut = (holder: Access) => holder.user === member || holder.widget?.by === member;
    this.dismiss(isOut, "You are no longer a member.");
  }

  dismiss(isOut: (holder: Access) => boolean, reason: string): void {
    this.sockets.dismiss(isOut, reason);
    this.room?.journal.streams.dismiss(isOut, reason);
  }

  #dismissExpired(room: SessionRoom, now: number): number {
    this.dismiss((holder) => holder.expiresAt <= now, "Your sign-in has expired.");
    return Math.min(this.sockets.earliestExpiry, room.journal.streams.earliestExpiry);
  }

  #enter(): SessionRoom {
    const times = this.#times;
    const room = new SessionRoom({
      storage: this.#storage,
      clock: this.timers,
      load,
      times,
      actsPerSecond: Number(this.#env.ACTS_PER_SECOND || LIMITS.actsPerSecond),
      widgetActsPerMinute: Number(this.#env.WIDGET_ACTS_PER_MINUTE || LIMITS.widgetActsPerMinute),
      newId: () => crypto.randomUUID(),
      setAlarm: (at) => this.#alarm.set(at),
      requestRunner: (epoch) =>
        this.#inBackground(() => {
          const wish = { agent: room.record.agent, shared: room.store.isShared() };
          return this.#env.POOL.getByName("pool").open(room.record.id, epoch, wish);
        }),
      tellChildren: () => this.#inBackground(() => this.tellChildren()),
      changed: (by) => this.lists?.within(by === "person" ? 0 : FIXED_TIMES.listsMs),
      crash: (error) => this.#ctx.abort(`The store refused a write: ${error}`),
      rememberReader: rememberBehind,
      dismissExpired: (now) => this.#dismissExpired(room, now),
    });
    this.chats = new ChatSockets(room);
    this.lists = new ListNews({
      clock: this.timers,
      look: () => this.#look(room),
      runs: () => room.record.runs ?? 0,
      told: {
        get: () => room.store.latest.get(TOLD),
        put: (told) => room.journal.appendStored([], () => room.store.latest.put(TOLD, told)),
      },
      tell: (look, gone) => this.#tellMembers(room, look, gone),
    });
    for (const socket of this.sockets.all) {
      const about = attachmentOf(socket);
      if (about.kind === "runner") room.runner.restored(socket);
      if (about.kind === "client") {
        room.journal.readers.add(socket, about.behind ?? room.journal.log.lastSeq, about);
      }
    }
    return room;
  }

  #look({ record: { title, status, parentId }, store }: SessionRoom): Look {
    const people = this.sockets.people().map(({ userId }) => userId);
    return { title, status, ...(parentId ? { parentId } : {}), members: store.members(), people: people.toSorted() };
  }

  async #tellMembers(room: SessionRoom, { members, people }: Look, gone: string[]): Promise<void> {
    const { id } = room.record;
    const present = people.length > 0 ? { people } : {};
    const parent = this.relatives
      .tellParent(room.record)
      .catch((error) => logError("a parent session was not told", error, { sessionId: id }));
    const told = await Promise.allSettled([
      ...members.map(({ user }) => this.#env.USERS.getByName(user).put({ ...room.view(user), ...present })),
      ...gone.map((user) => this.#env.USERS.getByName(user).remove(id)),
    ]);
    await parent;
    for (const each of told) if (each.status === "rejected") throw each.reason;
  }

  #inBackground(work: () => Promise<unknown>): void {
    this.#ctx.waitUntil(work().catch((error) => logError("background work failed", error)));
  }

  get #storage() {
    const { storage } = this.#ctx;
    return {
      all: (query: string, ...bindings: (string | number | null)[]) => storage.sql.exec(query, ...bindings).toArray(),
      transaction: <T>(work: () => T) => {
        try {
          return storage.transactionSync(work);
        } catch (error) {
          this.#alarm.forget();
          throw error;
        }
      },
    };
  }
}
