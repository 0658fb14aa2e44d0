import { createHash } from "node:crypto";
import { lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { AgentUser, SessionUsers } from "./agent-places.ts";

export type UserRange = { first: number; count: number };

/**
 * The users of the sessions on this host, each session's its own. Whose a session's folders are is how that is
 * remembered. Where to look for a free one depends on the session, so that other hosts on this machine rarely meet.
 */
export class AgentUsers implements SessionUsers {
  #range: UserRange;
  #known = new Map<string, number>();

  constructor(range: UserRange, folders: readonly string[]) {
    this.#range = range;
    for (const folder of folders) for (const [name, owner] of ownersIn(folder)) this.#remember(name, owner);
  }

  /** All that have one. */
  get all(): AgentUser[] {
    return [...new Set(this.#known.values())].map((id) => ({ id }));
  }

  of(sessionId: string): AgentUser {
    const id = this.#known.get(sessionId) ?? this.#free(sessionId);
    this.#known.set(sessionId, id);
    return { id };
  }

  forget(sessionId: string): void {
    this.#known.delete(sessionId);
  }

  #remember(sessionId: string, owner: number): void {
    const { first, count } = this.#range;
    if (owner >= first && owner < first + count) this.#known.set(sessionId, owner);
  }

  #free(sessionId: string): number {
    const { first, count } = this.#range;
    const taken = new Set(this.#known.values());
    if (taken.size >= count) throw new Error("This host has no user left for another session.");
    let place = createHash("sha256").update(sessionId).digest().readUInt32BE() % count;
    while (taken.has(first + place)) place = (place + 1) % count;
    return first + place;
  }
}

function ownersIn(folder: string): [name: string, owner: number][] {
  try {
    return readdirSync(folder).map((name) => [name, lstatSync(join(folder, name)).uid]);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return [];
    throw error;
  }
}
