import type { Clock } from "../src/durable-objects/session/storage.ts";

type Timer = { at: number; work: () => void };

/** A clock that stands still until it is told how much time has passed. */
export class ManualClock implements Clock {
  #now = 1_000_000;
  #timers = new Set<Timer>();

  now(): number {
    return this.#now;
  }

  get timers(): number {
    return this.#timers.size;
  }

  after(ms: number, work: () => void): () => void {
    const timer = { at: this.#now + ms, work };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }

  advance(ms: number): void {
    const until = this.#now + ms;
    for (let due = this.#due(until); due; due = this.#due(until)) {
      this.#timers.delete(due);
      this.#now = due.at;
      due.work();
    }
    this.#now = until;
  }

  /** The process that set the timers is gone. */
  forgetTimers(): void {
    this.#timers.clear();
  }

  #due(until: number): Timer | undefined {
    return [...this.#timers].filter((timer) => timer.at <= until).sort((a, b) => a.at - b.at)[0];
  }
}
