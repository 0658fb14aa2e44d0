import type { Clock } from "./storage.ts";

type Timer = { at: number; work: () => void; cancel: () => void };

/**
 * The clock of an actor. The runtime lets an actor's timers wait for as long as requests keep coming in, so what they
 * are late for is done when something comes in.
 */
export class ActorTimers implements Clock {
  #timers = new Set<Timer>();

  now(): number {
    return Date.now();
  }

  after(ms: number, work: () => void): () => void {
    const timeout = setTimeout(() => this.#run(timer), ms);
    const timer: Timer = { at: this.now() + ms, work, cancel: () => clearTimeout(timeout) };
    this.#timers.add(timer);
    return () => this.#drop(timer);
  }

  /** Something came in. */
  catchUp(): void {
    const now = this.now();
    const due: Timer[] = [];
    for (const timer of this.#timers) if (timer.at <= now) due.push(timer);
    for (const timer of due) this.#run(timer);
  }

  #run(timer: Timer): void {
    if (!this.#timers.has(timer)) return;
    this.#drop(timer);
    timer.work();
  }

  #drop(timer: Timer): void {
    this.#timers.delete(timer);
    timer.cancel();
  }
}
