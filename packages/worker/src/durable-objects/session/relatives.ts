import type { ChildInfo, Role } from "@agent-ops/shared/sessions";
import type { Env } from "../../env.ts";
import { logError } from "../../lib/log.ts";
import type { SessionRecord } from "./session-store.ts";

/** LIFE4: what a session says to the one it was made from and to those made from it. */
export class Relatives {
  #sessions: Env["SESSIONS"];

  constructor(sessions: Env["SESSIONS"]) {
    this.#sessions = sessions;
  }

  /** The parent lists it as it is now. */
  async tellParent({ id, parentId, title, status }: SessionRecord): Promise<void> {
    if (parentId) await this.#sessions.getByName(parentId).childChanged({ childSessionId: id, title, status });
  }

  /** What a member may do, or that they are none any more, holds for the children too. */
  async passOn(children: readonly ChildInfo[], user: string, role: Role | undefined): Promise<void> {
    await this.#tellChildren(children, (child) => child.inherit(user, role));
  }

  /** The session is gone. */
  async part({ id, parentId }: SessionRecord, children: readonly ChildInfo[]): Promise<void> {
    if (parentId) await this.#sessions.getByName(parentId).childLeft(id);
    await this.#tellChildren(children, (child) => child.orphan());
  }

  async #tellChildren(
    children: readonly ChildInfo[],
    tell: (child: ReturnType<Env["SESSIONS"]["getByName"]>) => Promise<unknown>,
  ): Promise<void> {
    const openable = children.filter((child) => child.openable);
    const told = await Promise.allSettled(
      openable.map(({ childSessionId }) => tell(this.#sessions.getByName(childSessionId))),
    );
    for (const each of told) if (each.status === "rejected") logError("a child session was not told", each.reason);
  }
}
