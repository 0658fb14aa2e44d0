import type { Clock } from "../../src/clock.ts";

/** A clock that stands still until it is told how much time has passed. */
export class ManualClock implements Clock {
  #now = 0;
  #timers = new Set<{ at: number; run: () => void }>();

  after(ms: number, run: () => void): () => void {
    const timer = { at: this.#now + ms, run };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }

  advance(ms: number): void {
    const until = this.#now + ms;
    for (let due = this.#due(until); due; due = this.#due(until)) {
      this.#timers.delete(due);
      this.#now = due.at;
      due.run();
    }
    this.#now = until;
  }

  #due(until: number): { at: number; run: () => void } | undefined {
    return [...this.#timers].filter((timer) => timer.at <= until).sort((a, b) => a.at - b.at)[0];
  }
}
