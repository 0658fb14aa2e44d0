import type { LogEvent, LogPayload } from "@agent-ops/shared/events";
import { LIMITS } from "@agent-ops/shared/limits";
import { z } from "zod";
import type { Lease } from "./session-store.ts";
import type { RoomStorage } from "./storage.ts";

/** An event beside its JSON, which rows and frames share. */
export type LogEntry = { event: LogEvent; json: string };

const row = z.object({ first_seq: z.number(), last_seq: z.number(), events: z.string() });

/** The row that holds an event, or the first one where that is no longer kept. Rows follow each other without gaps. */
const ROW_WITH = `SELECT * FROM log
  WHERE first_seq >= coalesce((SELECT max(first_seq) FROM log WHERE first_seq <= ?), 0) ORDER BY first_seq LIMIT 1`;

/** The session's log: append-only, numbered without gaps. New entries wait in memory until `store`. */
export class EventLog {
  #storage: RoomStorage;
  #waiting: LogEntry[] = [];
  #storedSeq: number;

  constructor(storage: RoomStorage) {
    this.#storage = storage;
    const last = storage.all("SELECT last_seq AS seq FROM log ORDER BY first_seq DESC LIMIT 1")[0]?.seq;
    this.#storedSeq = typeof last === "number" ? last : 0;
  }

  static createTable(storage: RoomStorage): void {
    storage.all(`CREATE TABLE log (first_seq INTEGER PRIMARY KEY, last_seq INTEGER NOT NULL, events TEXT NOT NULL,
      epoch INTEGER, runner_seq INTEGER)`);
  }

  get storedSeq(): number {
    return this.#storedSeq;
  }

  get lastSeq(): number {
    return this.#storedSeq + this.#waiting.length;
  }

  get waiting(): number {
    return this.#waiting.length;
  }

  /** The first event that is still kept; earlier ones live on in the messages. */
  get firstSeq(): number {
    const first = this.#storage.all("SELECT min(first_seq) AS seq FROM log")[0]?.seq;
    return typeof first === "number" ? first : this.#storedSeq + 1;
  }

  /** LOG9: drops whole rows below `seq`. */
  dropBefore(seq: number): void {
    this.#storage.all("DELETE FROM log WHERE first_seq < ? AND last_seq < ?", seq, seq);
  }

  append(payload: LogPayload, ts: number): LogEntry {
    const event: LogEvent = { ...payload, seq: this.lastSeq + 1, ts };
    const entry = { event, json: JSON.stringify(event) };
    this.#waiting.push(entry);
    return entry;
  }

  /** Stores what waits, each row with how far the runner has got, in one transaction with `also`. */
  store(lease: Lease, also?: () => void): void {
    const batch = this.#waiting;
    const rows = [...splitRows(batch)];
    const write = () => {
      for (const entries of rows) this.#insert(entries, lease);
      also?.();
    };
    // A single statement is a transaction by itself.
    if (rows.length === 1 && !also) write();
    else this.#storage.transaction(write);
    this.#storedSeq += batch.length;
    this.#waiting = [];
  }

  /** The next entries with a seq above `after`: those of one stored row, or all that wait. Empty at the end. */
  readAfter(after: number): LogEntry[] {
    if (after >= this.#storedSeq) return this.#waiting.slice(after - this.#storedSeq);
    const found = this.#storage.all(ROW_WITH, after + 1)[0];
    const { events } = row.parse(found);
    const parsed = JSON.parse(events) as LogEvent[]; // rows hold only what `append` accepted
    return parsed.filter((event) => event.seq > after).map((event) => ({ event, json: JSON.stringify(event) }));
  }

  #insert(entries: LogEntry[], { epoch, seq }: Lease): void {
    const first = entries[0]?.event.seq;
    const last = entries.at(-1)?.event.seq;
    if (first === undefined || last === undefined) return;
    const events = `[${entries.map((entry) => entry.json).join(",")}]`;
    const query = "INSERT INTO log (first_seq, last_seq, events, epoch, runner_seq) VALUES (?, ?, ?, ?, ?)";
    this.#storage.all(query, first, last, events, epoch, seq);
  }
}

/** A UTF-16 code unit takes at most three bytes of UTF-8. */
const ROW_CHARS = LIMITS.rowBytes / 2;

function* splitRows(entries: LogEntry[]): Generator<LogEntry[]> {
  let current: LogEntry[] = [];
  let size = 0;
  for (const entry of entries) {
    if (size + entry.json.length > ROW_CHARS && current.length > 0) {
      yield current;
      current = [];
      size = 0;
    }
    current.push(entry);
    size += entry.json.length;
  }
  if (current.length > 0) yield current;
}
