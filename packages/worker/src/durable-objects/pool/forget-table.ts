import { z } from "zod";
import type { RoomStorage } from "../session/storage.ts";
import { addColumn } from "./add-column.ts";

const row = z.object({ sessionId: z.string() });

/** Deleted sessions of which a host has not said yet that nothing is left. */
export class ForgetTable {
  #storage: RoomStorage;

  constructor(storage: RoomStorage, now: number) {
    this.#storage = storage;
    storage.all(
      "CREATE TABLE IF NOT EXISTS forgets (host TEXT NOT NULL, session_id TEXT NOT NULL, PRIMARY KEY (host, session_id))",
    );
    addColumn(storage, "forgets", "since", "INTEGER NOT NULL DEFAULT 0");
    // Those of an earlier version have no time yet; theirs begins when they are seen.
    storage.all("UPDATE forgets SET since = ? WHERE since = 0", now);
  }

  add(host: string, sessionId: string, now: number): void {
    this.#storage.all("INSERT OR IGNORE INTO forgets (host, session_id, since) VALUES (?, ?, ?)", host, sessionId, now);
  }

  /** Hosts that were not here since then do not come back. */
  dropBefore(time: number): void {
    this.#storage.all("DELETE FROM forgets WHERE since < ?", time);
  }

  has(host: string, sessionId: string): boolean {
    const query = "SELECT 1 FROM forgets WHERE host = ? AND session_id = ?";
    return this.#storage.all(query, host, sessionId).length > 0;
  }

  of(host: string): string[] {
    const query = "SELECT session_id AS sessionId FROM forgets WHERE host = ? ORDER BY session_id";
    const rows = z.array(row).parse(this.#storage.all(query, host));
    return rows.map(({ sessionId }) => sessionId);
  }

  remove(host: string, sessionId: string): void {
    this.#storage.all("DELETE FROM forgets WHERE host = ? AND session_id = ?", host, sessionId);
  }
}
