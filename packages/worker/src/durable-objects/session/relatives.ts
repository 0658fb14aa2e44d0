import type { ChildInfo } from "@agent-ops/shared/sessions";
import type { Env } from "../../env.ts";
import { logError } from "../../lib/log.ts";
import type { FamilyNews } from "./child-news.ts";
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

  /** Who is a member of the parent. One that is not reached tells of every change by itself, only later. */
  async membersOfParent({ id, parentId, title, status }: SessionRecord): Promise<FamilyNews | "gone" | "unreached"> {
    if (!parentId) return "gone";
    try {
      return (await this.#sessions.getByName(parentId).childMade({ childSessionId: id, title, status })) ?? "gone";
    } catch (error) {
      logError("a parent session was not reached", error, { sessionId: id });
      return "unreached";
    }
  }

  /** How a child takes the news. */
  async tellChild(childSessionId: string, news: FamilyNews): Promise<"heard" | "not there" | "unreached"> {
    try {
      return (await this.#sessions.getByName(childSessionId).follow(news)) ? "heard" : "not there";
    } catch (error) {
      logError("a child session was not told", error, { childSessionId });
      return "unreached";
    }
  }

  /** The session is gone. */
  async part({ id, parentId }: SessionRecord, children: readonly ChildInfo[]): Promise<void> {
    if (parentId) await this.#sessions.getByName(parentId).childLeft(id);
    const openable = children.filter((child) => child.openable);
    const told = await Promise.allSettled(
      openable.map(({ childSessionId }) => this.#sessions.getByName(childSessionId).orphan()),
    );
    for (const each of told) if (each.status === "rejected") logError("a child session was not told", each.reason);
  }
}
