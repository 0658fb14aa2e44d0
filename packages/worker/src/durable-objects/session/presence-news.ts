import { z } from "zod";
import type { Clock } from "./storage.ts";

type Tools = {
  clock: Clock;
  delayMs: number;
  /** Those who are there now. */
  present(): string[];
  /** What was told last, across restarts. */
  told: { get(): unknown; put(names: string[]): void };
  tell(): void;
};

const names = z.array(z.string()).catch([]);

/**
 * LIFE7: tells the lists of sessions who is there. Whoever comes or goes starts one timer; when it ends, and only where
 * others are there than were told last, they are told once. So a reload tells nothing, and a crowd tells once.
 */
export class PresenceNews {
  #tools: Tools;
  #isDue = false;

  constructor(tools: Tools) {
    this.#tools = tools;
    // Those who were there when the server went down may not be back.
    if (!this.#isTold(tools.present())) this.changed();
  }

  changed(): void {
    if (this.#isDue) return;
    this.#isDue = true;
    this.#tools.clock.after(this.#tools.delayMs, () => {
      this.#isDue = false;
      if (!this.#isTold(this.#tools.present())) this.#tools.tell();
    });
  }

  /** The lists know of these. */
  toldOf(present: string[]): void {
    if (!this.#isTold(present)) this.#tools.told.put(present);
  }

  #isTold(present: string[]): boolean {
    const told = names.parse(this.#tools.told.get());
    return JSON.stringify(told.toSorted()) === JSON.stringify(present.toSorted());
  }
}
