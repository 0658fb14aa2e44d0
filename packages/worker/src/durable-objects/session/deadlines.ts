import { z } from "zod";
import type { RoomStorage } from "./storage.ts";

const row = z.object({ name: z.string(), at: z.number() });

/** `grace:` goes with the id of the turn whose asker left. */
export type DeadlineName =
  | "idle"
  | "runner-lost"
  | "no-runner"
  | "abort"
  | "hibernate"
  | "access"
  | "children"
  | `grace:${string}`
  | `question:${string}`;

/** Every deadline is a stored row; one alarm serves the earliest. */
export class Deadlines {
  #storage: RoomStorage;
  #setAlarm: (at: number) => void;

  constructor(storage: RoomStorage, setAlarm: (at: number) => void) {
    this.#storage = storage;
    this.#setAlarm = setAlarm;
  }

  set(name: DeadlineName, at: number): void {
    this.#storage.all("INSERT OR REPLACE INTO deadlines (name, at) VALUES (?, ?)", name, at);
    this.arm();
  }

  /** Keeps a deadline that is set already. */
  setOnce(name: DeadlineName, at: number): void {
    this.#storage.all("INSERT OR IGNORE INTO deadlines (name, at) VALUES (?, ?)", name, at);
    this.arm();
  }

  /** Moves a deadline only to an earlier time. */
  setEarliest(name: DeadlineName, at: number): void {
    this.#storage.all(
      "INSERT INTO deadlines (name, at) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET at = min(at, excluded.at)",
      name,
      at,
    );
    this.arm();
  }

  /** Moves a deadline that is set only to a later time. */
  postpone(name: DeadlineName, at: number): void {
    this.#storage.all("UPDATE deadlines SET at = max(at, ?) WHERE name = ?", at, name);
    this.arm();
  }

  clear(...names: DeadlineName[]): void {
    for (const name of names) this.#storage.all("DELETE FROM deadlines WHERE name = ?", name);
  }

  /** Clears all names that begin like this. */
  clearAll(prefix: string): void {
    this.#storage.all("DELETE FROM deadlines WHERE substr(name, 1, ?) = ?", prefix.length, prefix);
  }

  has(name: DeadlineName): boolean {
    return this.#storage.all("SELECT 1 FROM deadlines WHERE name = ?", name).length > 0;
  }

  /** Takes out what is due, one at a time: what comes of one may clear or move those after it. Each name comes once. */
  *takeDue(now: number): Generator<string> {
    const due = z.array(row).parse(this.#storage.all("SELECT name, at FROM deadlines WHERE at <= ? ORDER BY at", now));
    for (const { name } of due) {
      const taken = this.#storage.all("DELETE FROM deadlines WHERE name = ? AND at <= ? RETURNING name", name, now);
      if (taken.length > 0) yield name;
    }
  }

  arm(): void {
    const earliest = this.#storage.all("SELECT name, at FROM deadlines ORDER BY at LIMIT 1")[0];
    if (earliest) this.#setAlarm(row.parse(earliest).at);
  }
}
