import { z } from "zod";
import type { RoomStorage } from "../session/storage.ts";
import { addColumn } from "./add-column.ts";

const lease = z.object({
  sessionId: z.string(),
  epoch: z.number(),
  agent: z.string(),
  /** Who has the session, or had it last. */
  host: z.string().nullable(),
  /** Open: it has or waits for a runner. At rest: it needs none. */
  state: z.enum(["open", "rest"]),
  /** SEC2: more people than its owner use its agent. */
  shared: z.number().transform(Boolean),
});
export type Lease = z.infer<typeof lease>;

const COLUMNS = "session_id AS sessionId, epoch, agent, host, state, shared";

/** Which session is whose, under which lease. A session at rest keeps its row. */
export class LeaseTable {
  #storage: RoomStorage;

  constructor(storage: RoomStorage) {
    this.#storage = storage;
    storage.all(
      "CREATE TABLE IF NOT EXISTS leases (session_id TEXT PRIMARY KEY, epoch INTEGER NOT NULL, agent TEXT NOT NULL, " +
        "host TEXT, state TEXT NOT NULL)",
    );
    addColumn(storage, "leases", "shared", "INTEGER NOT NULL DEFAULT 0");
    storage.all("CREATE INDEX IF NOT EXISTS leases_of_host ON leases (host, state)");
  }

  get(sessionId: string): Lease | undefined {
    const [found] = this.#storage.all(`SELECT ${COLUMNS} FROM leases WHERE session_id = ?`, sessionId);
    return found && lease.parse(found);
  }

  put({ sessionId, epoch, agent, host, state, shared }: Lease): void {
    this.#storage.all(
      "INSERT OR REPLACE INTO leases (session_id, epoch, agent, host, state, shared) VALUES (?, ?, ?, ?, ?, ?)",
      sessionId,
      epoch,
      agent,
      host,
      state,
      Number(shared),
    );
  }

  remove(sessionId: string): void {
    this.#storage.all("DELETE FROM leases WHERE session_id = ?", sessionId);
  }

  of(host: string, state: Lease["state"]): Lease[] {
    return this.#read("host = ? AND state = ?", host, state);
  }

  waiting(): Lease[] {
    return this.#read("host IS NULL AND state = ?", "open");
  }

  /** How many sessions are open, by host. */
  loads(): Map<string, number> {
    const query = "SELECT host, count(*) AS load FROM leases WHERE state = 'open' AND host IS NOT NULL GROUP BY host";
    const rows = z.array(z.object({ host: z.string(), load: z.number() })).parse(this.#storage.all(query));
    return new Map(rows.map(({ host, load }) => [host, load]));
  }

  #read(where: string, ...bindings: string[]): Lease[] {
    const query = `SELECT ${COLUMNS} FROM leases WHERE ${where} ORDER BY session_id`;
    return z.array(lease).parse(this.#storage.all(query, ...bindings));
  }
}
