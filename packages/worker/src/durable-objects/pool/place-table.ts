import { z } from "zod";
import type { RoomStorage } from "../session/storage.ts";

const row = z.object({ host: z.string() });

/** Which hosts have something of a session: its workspace, its agent's home, its conversation. */
export class PlaceTable {
  #storage: RoomStorage;

  /** After the lease table, of which it knows where sessions were before there were places. */
  constructor(storage: RoomStorage) {
    this.#storage = storage;
    if (storage.all("SELECT 1 FROM sqlite_master WHERE name = 'places'").length > 0) return;
    storage.transaction(() => {
      storage.all(
        "CREATE TABLE places (session_id TEXT NOT NULL, host TEXT NOT NULL, epoch INTEGER NOT NULL, " +
          "PRIMARY KEY (session_id, host))",
      );
      storage.all("INSERT INTO places SELECT session_id, host, epoch FROM leases WHERE host IS NOT NULL");
    });
  }

  /** The host has the session under this lease. */
  put(sessionId: string, host: string, epoch: number): void {
    this.#storage.all(
      "INSERT OR REPLACE INTO places (session_id, host, epoch) VALUES (?, ?, ?)",
      sessionId,
      host,
      epoch,
    );
  }

  /** The one that had it last comes first. */
  of(sessionId: string): string[] {
    const query = "SELECT host FROM places WHERE session_id = ? ORDER BY epoch DESC, host";
    const rows = z.array(row).parse(this.#storage.all(query, sessionId));
    return rows.map(({ host }) => host);
  }

  remove(sessionId: string): void {
    this.#storage.all("DELETE FROM places WHERE session_id = ?", sessionId);
  }
}
