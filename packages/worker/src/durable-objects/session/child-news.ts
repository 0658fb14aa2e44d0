import { type Role, role } from "@agent-ops/shared/sessions";
import { z } from "zod";
import { Deadlines } from "./deadlines.ts";
import type { RoomPorts } from "./room-ports.ts";
import type { SessionStore } from "./session-store.ts";
import type { SqlValue } from "./storage.ts";

/** What became of members of the parent; no role where they are none any more. Of two of them the higher version is true. */
export type FamilyNews = { version: number; members: { user: string; role?: Role }[] };

/** Made with the first child: most sessions have none, and a table takes room. */
const TABLE = `CREATE TABLE IF NOT EXISTS untold (child_id TEXT NOT NULL, user TEXT NOT NULL, version INTEGER NOT NULL,
  since INTEGER NOT NULL, PRIMARY KEY (child_id, user)) WITHOUT ROWID`;

const row = z.object({ childSessionId: z.string(), user: z.string(), role: role.nullable() });

/** A child that was not there for so long was never made, or is no more. */
const MISSING_MS = 60_000;

/** LIFE4: what the children of a session have not heard yet. It is stored, and told until each has said that it knows. */
export class ChildNews {
  #ports: RoomPorts;
  #store: SessionStore;
  #deadlines: Deadlines;

  constructor(ports: RoomPorts, store: SessionStore) {
    this.#ports = ports;
    this.#store = store;
    this.#deadlines = new Deadlines(ports.storage, ports.setAlarm);
  }

  /** Part of the transaction that changes what a person may do, or that makes a child known. */
  note(user: string, childSessionIds = this.#children()): void {
    const version = this.#store.nextMembersVersion();
    if (childSessionIds.length === 0) return;
    this.#ports.storage.all(TABLE);
    for (const id of childSessionIds) {
      this.#ports.storage.all(
        `INSERT INTO untold (child_id, user, version, since) VALUES (?, ?, ?, ?)
          ON CONFLICT DO UPDATE SET version = excluded.version`,
        id,
        user,
        version,
        this.#ports.clock.now(),
      );
    }
    this.#tellLater();
  }

  /** What each child has to hear, as it is now. It is due again later, unless all of it is told by then. */
  due(): Map<string, FamilyNews> {
    const query = `SELECT child_id AS childSessionId, untold.user AS user, members.role AS role
      FROM untold LEFT JOIN members ON members.user = untold.user ORDER BY child_id, untold.user`;
    const rows = z.array(row).parse(this.#all(query));
    if (rows.length > 0) this.#tellLater();
    const version = this.#store.membersVersion();
    const news = (all: z.infer<typeof row>[]) => ({
      version,
      members: all.map((each) => ({ user: each.user, ...(each.role ? { role: each.role } : {}) })),
    });
    return new Map([...Map.groupBy(rows, (each) => each.childSessionId)].map(([id, all]) => [id, news(all)]));
  }

  told(childSessionId: string, version: number): void {
    this.#all("DELETE FROM untold WHERE child_id = ? AND version <= ?", childSessionId, version);
    this.#rest();
  }

  /** Whether a child that does not answer has had its time. */
  isMissing(childSessionId: string): boolean {
    const query = "SELECT 1 FROM untold WHERE child_id = ? AND since <= ?";
    return this.#all(query, childSessionId, this.#ports.clock.now() - MISSING_MS).length > 0;
  }

  /** The child is gone. */
  drop(childSessionId: string): void {
    this.#all("DELETE FROM untold WHERE child_id = ?", childSessionId);
    this.#rest();
  }

  #tellLater(): void {
    this.#deadlines.set("children", this.#ports.clock.now() + this.#ports.times.tellAgainMs);
  }

  #rest(): void {
    if (this.#all("SELECT 1 FROM untold LIMIT 1").length === 0) this.#deadlines.clear("children");
  }

  #all(query: string, ...bindings: SqlValue[]): Record<string, unknown>[] {
    const { storage } = this.#ports;
    const isThere = storage.all("SELECT 1 FROM sqlite_master WHERE name = 'untold'").length > 0;
    return isThere ? storage.all(query, ...bindings) : [];
  }

  #children(): string[] {
    const openable = this.#store.children.all().filter((child) => child.openable);
    return openable.map(({ childSessionId }) => childSessionId);
  }
}
