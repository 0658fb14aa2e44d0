import { DatabaseSync, type StatementSync } from "node:sqlite";
import type { RoomStorage, SqlValue } from "../src/durable-objects/session/storage.ts";

const WRITES = /^\s*(INSERT|UPDATE|DELETE|CREATE)/i;

/**
 * The rooms' storage on Node's own SQLite; opening it again is what a killed process does. A Durable Object's writes of
 * one tick are one transaction: where that matters a test puts the tick into `transaction`.
 */
export class NodeStorage implements RoomStorage {
  /** Hears of every statement that writes, before it does; what it throws is what the disk says. */
  onWrite: (query: string) => void = () => undefined;
  /** Hears of every transaction that is done. */
  onCommit: () => void = () => undefined;
  #path: string;
  #database: DatabaseSync;
  #statements = new Map<string, StatementSync>();
  #depth = 0;

  constructor(path = ":memory:", database = new DatabaseSync(path)) {
    this.#path = path;
    this.#database = database;
  }

  /** What another process finds: a file is really opened again, memory is kept. */
  reopen(): NodeStorage {
    if (this.#path === ":memory:") return new NodeStorage(this.#path, this.#database);
    this.#database.close();
    return new NodeStorage(this.#path);
  }

  all(query: string, ...bindings: SqlValue[]): Record<string, unknown>[] {
    const writes = WRITES.test(query);
    if (writes) this.onWrite(query);
    const statement = this.#statements.get(query) ?? this.#database.prepare(query);
    this.#statements.set(query, statement);
    const rows = statement.all(...bindings);
    if (writes && this.#depth === 0) this.onCommit();
    return rows;
  }

  transaction<T>(work: () => T): T {
    const name = `t${this.#depth}`;
    this.#database.exec(`SAVEPOINT ${name}`);
    this.#depth += 1;
    try {
      const result = work();
      this.#database.exec(`RELEASE ${name}`);
      this.onCommit();
      return result;
    } catch (error) {
      this.#database.exec(`ROLLBACK TO ${name}; RELEASE ${name}`);
      throw error;
    } finally {
      this.#depth -= 1;
    }
  }
}
