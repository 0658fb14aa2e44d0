import { existsSync, readFileSync } from "node:fs";
import type { AgentPrompt } from "../../agent-client.ts";
import { appendLines } from "../append-lines.ts";

type Entry<T> = { place: number; value: T };

/** For what was remembered before turns had a place. */
const NO_PLACE = 0;

/**
 * What an agent remembers, kept in a file, so that another process goes on where this one ended. The file only grows:
 * that something was replaced is a line too.
 */
export class Memory<T> {
  #path: string;
  #entries: Entry<T>[] = [];
  #place = NO_PLACE;

  /** `read` throws at what is no value of this memory. */
  constructor(path: string, read: (raw: unknown) => T) {
    this.#path = path;
    const lines = existsSync(path) ? readFileSync(path, "utf8").split("\n") : [];
    for (const line of lines) this.#recall(line, read);
  }

  get values(): T[] {
    return this.#entries.map(({ value }) => value);
  }

  /** TURN9: a turn begins. What is remembered of turns that it replaced is forgotten. */
  begin({ history }: Pick<AgentPrompt, "history">): void {
    if (!history) return;
    this.#place = history.place;
    if (!this.#entries.some(({ place }) => place > history.after)) return;
    appendLines(this.#path, [{ after: history.after }]);
    this.#forget(history.after);
  }

  add(values: readonly T[]): void {
    if (values.length === 0) return;
    const entries = values.map((value) => ({ place: this.#place, value }));
    appendLines(this.#path, entries);
    this.#entries.push(...entries);
  }

  #forget(after: number): void {
    this.#entries = this.#entries.filter(({ place }) => place <= after);
  }

  /** A line that its process's death tore is left out. */
  #recall(line: string, read: (raw: unknown) => T): void {
    try {
      const raw: unknown = JSON.parse(line);
      if (isNumbered(raw, "after")) this.#forget(raw.after);
      else if (isNumbered(raw, "place") && "value" in raw) {
        this.#entries.push({ place: raw.place, value: read(raw.value) });
      } else this.#entries.push({ place: NO_PLACE, value: read(raw) });
    } catch {}
  }
}

function isNumbered<Name extends string>(raw: unknown, name: Name): raw is Record<Name, number> {
  return typeof raw === "object" && raw !== null && typeof Reflect.get(raw, name) === "number";
}
