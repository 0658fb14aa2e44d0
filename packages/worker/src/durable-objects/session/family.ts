import { AppError } from "@agent-ops/shared/errors";
import type { ChildSessionEvent, LogPayload } from "@agent-ops/shared/events";
import { LIMITS } from "@agent-ops/shared/limits";
import type { ChildInfo } from "@agent-ops/shared/sessions";
import { auditEvent } from "./audit.ts";
import type { ChildNews } from "./child-news.ts";
import type { Journal } from "./journal.ts";
import type { RoomPorts } from "./room-ports.ts";
import type { SessionStore } from "./session-store.ts";

type Tools = { ports: RoomPorts; store: SessionStore; journal: Journal; news: ChildNews };

const UNTITLED = "Child session";

/** LIFE4: the children of the session: sessions made from it, and those its agent tells of. */
export class Family {
  #tools: Tools;

  constructor(tools: Tools) {
    this.#tools = tools;
  }

  get children(): ChildInfo[] {
    return this.#tools.store.children.all();
  }

  /** A session is being made from this one. It hears of who made it, so that it is known whether it was made. */
  adopt(user: string, child: Omit<ChildInfo, "openable">): void {
    if (this.children.filter(({ openable }) => openable).length >= LIMITS.children) {
      throw new AppError("too_many", `A session has at most ${LIMITS.children} children.`);
    }
    const entry = { ...child, openable: true };
    const act = { userId: user, action: "child", detail: child.childSessionId };
    const events = [{ type: "child-session" as const, ...entry }, auditEvent(this.#tools.ports.clock.now(), act)];
    this.#put(entry, events, () => this.#tools.news.note(user, [child.childSessionId]));
  }

  /** A session that was made from this one is here, also where it was given up before. */
  made(child: Omit<ChildInfo, "openable">): void {
    if (!this.#tools.store.children.get(child.childSessionId)) this.#put({ ...child, openable: true });
  }

  /** A session that was made from this one looks different now. */
  changed(child: Omit<ChildInfo, "openable">): void {
    const known = this.#tools.store.children.get(child.childSessionId);
    if (!known?.openable || (known.title === child.title && known.status === child.status)) return;
    this.#put({ ...child, openable: true });
  }

  left(childSessionId: string): void {
    const { store, journal, news } = this.#tools;
    if (!store.children.get(childSessionId)) return;
    journal.appendStored([{ type: "child-session", childSessionId, status: "deleted" }], () => {
      store.children.remove(childSessionId);
      news.drop(childSessionId);
    });
  }

  /** What the agent says of a child. It names what it likes, so that gives nobody access to anything. */
  told(event: ChildSessionEvent): void {
    const { childSessionId, title, status } = event;
    const known = this.#tools.store.children.get(childSessionId);
    if (!known && this.children.every(({ openable }) => openable) && this.#isFull) return;
    const child = {
      childSessionId,
      title: (title ?? known?.title ?? UNTITLED).slice(0, LIMITS.titleChars).toWellFormed(),
      status: status ?? known?.status ?? "running",
      openable: known?.openable ?? false,
    };
    this.#put(child, [{ ...event, ...child }]);
  }

  get #isFull(): boolean {
    return this.children.length >= LIMITS.children;
  }

  /** LIM5: where the list is full, the oldest that only the agent told of makes room. */
  #put(
    child: ChildInfo,
    events: LogPayload[] = [{ type: "child-session", ...child }],
    write: () => void = () => undefined,
  ): void {
    const { store, journal } = this.#tools;
    const isNew = !store.children.get(child.childSessionId);
    const oldest = isNew && this.#isFull && this.children.find(({ openable }) => !openable)?.childSessionId;
    if (oldest) this.left(oldest);
    journal.appendStored(events, () => {
      store.children.put(child);
      write();
    });
  }
}
