import { existsSync, readFileSync } from "node:fs";
import type { TurnHistory } from "@agent-ops/shared/frames";
import { z } from "zod";
import type { AgentPrompt } from "../../agent-client.ts";
import { appendLines } from "../append-lines.ts";
import { isRemoved } from "../is-removed.ts";

type Entry<T> = { place: number; value: T };

const memoryLine = z.union([
  z.object({ place: z.number(), value: z.unknown() }),
  z.object({ removed: z.array(z.tuple([z.number(), z.number()])) }),
]);

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

  /** TURN9: a turn begins. What is remembered of turns that were replaced is forgotten. */
  begin({ history }: Pick<AgentPrompt, "history">): void {
    if (!history) return;
    const { place, removed } = history;
    this.#place = place;
    if (!this.#entries.some((entry) => isRemoved(entry.place, removed))) return;
    appendLines(this.#path, [{ removed }]);
    this.#forget(removed);
  }

  add(values: readonly T[]): void {
    if (values.length === 0) return;
    const entries = values.map((value) => ({ place: this.#place, value }));
    appendLines(this.#path, entries);
    this.#entries.push(...entries);
  }

  #forget(removed: TurnHistory["removed"]): void {
    this.#entries = this.#entries.filter(({ place }) => !isRemoved(place, removed));
  }

  /** A line that its process's death tore is left out. */
  #recall(line: string, read: (raw: unknown) => T): void {
    try {
      const raw: unknown = JSON.parse(line);
      const known = memoryLine.safeParse(raw).data;
      if (known && "removed" in known) this.#forget(known.removed);
      else if (known) this.#entries.push({ place: known.place, value: read(known.value) });
      else this.#entries.push({ place: NO_PLACE, value: read(raw) });
    } catch {}
  }
}
