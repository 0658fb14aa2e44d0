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

  has(name: DeadlineName): boolean {
    return this.#storage.all("SELECT 1 FROM deadlines WHERE name = ?", name).length > 0;
  }

  /** Takes out what is due. */
  takeDue(now: number): string[] {
    const due = this.#storage.all("DELETE FROM deadlines WHERE at <= ? RETURNING name, at", now);
    return z
      .array(row)
      .parse(due)
      .map((found) => found.name);
  }

  arm(): void {
    const earliest = this.#storage.all("SELECT name, at FROM deadlines ORDER BY at LIMIT 1")[0];
    if (earliest) this.#setAlarm(row.parse(earliest).at);
  }
}
