import { AppError } from "@agent-ops/shared/errors";
import type { ChildSessionEvent, LogPayload } from "@agent-ops/shared/events";
import { LIMITS } from "@agent-ops/shared/limits";
import type { ChildInfo } from "@agent-ops/shared/sessions";
import { auditEvent } from "./audit.ts";
import type { Journal } from "./journal.ts";
import type { RoomPorts } from "./room-ports.ts";
import type { SessionStore } from "./session-store.ts";

type Tools = { ports: RoomPorts; store: SessionStore; journal: Journal };

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

  /** A session is being made from this one. */
  adopt(user: string, child: Omit<ChildInfo, "openable">): void {
    if (this.children.length >= LIMITS.children) {
      throw new AppError("too_many", `A session has at most ${LIMITS.children} children.`);
    }
    const entry = { ...child, openable: true };
    const act = { userId: user, action: "child", detail: child.childSessionId };
    this.#put(entry, [{ type: "child-session", ...entry }, auditEvent(this.#tools.ports.clock.now(), act)]);
  }

  /** A session that was made from this one looks different now. */
  changed(child: Omit<ChildInfo, "openable">): void {
    const known = this.#tools.store.children.get(child.childSessionId);
    if (!known?.openable || (known.title === child.title && known.status === child.status)) return;
    this.#put({ ...child, openable: true });
  }

  left(childSessionId: string): void {
    const { store, journal } = this.#tools;
    if (!store.children.get(childSessionId)) return;
    journal.appendStored([{ type: "child-session", childSessionId, status: "deleted" }], () =>
      store.children.remove(childSessionId),
    );
  }

  /** What the agent says of a child. It names what it likes, so that gives nobody access to anything. */
  told(event: ChildSessionEvent): void {
    const { childSessionId, title, status } = event;
    const known = this.#tools.store.children.get(childSessionId);
    if (!known && this.children.length >= LIMITS.children) return;
    const child = {
      childSessionId,
      title: (title ?? known?.title ?? UNTITLED).slice(0, LIMITS.titleChars).toWellFormed(),
      status: status ?? known?.status ?? "running",
      openable: known?.openable ?? false,
    };
    this.#put(child, [{ ...event, ...child }]);
  }

  #put(child: ChildInfo, events: LogPayload[] = [{ type: "child-session", ...child }]): void {
    const { store, journal } = this.#tools;
    journal.appendStored(events, () => store.children.put(child));
  }
}
