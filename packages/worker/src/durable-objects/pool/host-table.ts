import { type Isolation, isolation } from "@agent-ops/shared/frames";
import { z } from "zod";
import type { RoomStorage } from "../session/storage.ts";

const row = z.object({
  host: z.string(),
  agents: z.string(),
  capacity: z.number().nullable(),
  isolation,
  draining: z.number(),
  due: z.number(),
});

/** A runner host that has said hello and was not given up since. */
export type HostRecord = {
  host: string;
  agents: string[];
  capacity: number;
  isolation: Isolation;
  draining: boolean;
  /** It is given up unless it is heard of before this time. */
  due: number;
};

export class HostTable {
  #storage: RoomStorage;

  constructor(storage: RoomStorage) {
    this.#storage = storage;
    storage.all(
      "CREATE TABLE IF NOT EXISTS hosts (host TEXT PRIMARY KEY, agents TEXT NOT NULL, capacity INTEGER, " +
        "isolation TEXT NOT NULL, draining INTEGER NOT NULL, due INTEGER NOT NULL)",
    );
  }

  all(): HostRecord[] {
    const rows = z.array(row).parse(this.#storage.all("SELECT * FROM hosts ORDER BY host"));
    return rows.map(toRecord);
  }

  get(host: string): HostRecord | undefined {
    const [found] = this.#storage.all("SELECT * FROM hosts WHERE host = ?", host);
    return found && toRecord(row.parse(found));
  }

  put({ host, agents, capacity, isolation: kind, draining, due }: HostRecord): void {
    this.#storage.all(
      "INSERT OR REPLACE INTO hosts (host, agents, capacity, isolation, draining, due) VALUES (?, ?, ?, ?, ?, ?)",
      host,
      JSON.stringify(agents),
      Number.isFinite(capacity) ? capacity : null,
      kind,
      Number(draining),
      due,
    );
  }

  drain(host: string): void {
    this.#storage.all("UPDATE hosts SET draining = 1 WHERE host = ?", host);
  }

  /** Says whether the host is known. */
  setDue(host: string, due: number): boolean {
    return this.#storage.all("UPDATE hosts SET due = ? WHERE host = ? RETURNING host", due, host).length > 0;
  }

  remove(host: string): void {
    this.#storage.all("DELETE FROM hosts WHERE host = ?", host);
  }
}

function toRecord({ agents, capacity, draining, ...rest }: z.infer<typeof row>): HostRecord {
  return {
    ...rest,
    agents: z.array(z.string()).parse(JSON.parse(agents)),
    capacity: capacity ?? Number.POSITIVE_INFINITY,
    draining: draining === 1,
  };
}
