import { TIMES } from "@agent-ops/shared/limits";

/** What the pacer needs of time. */
export type Timers = { now(): number; after(ms: number, work: () => void): () => void };

const BUSY_WRITES_PER_SECOND = 10_000;
const BUSY_GATHER_MS = 33;
/** Gathering longer makes fewer writes by itself; only what stays below this is calm. */
const CALM_WRITES_PER_SECOND = BUSY_WRITES_PER_SECOND * (TIMES.gatherMs / BUSY_GATHER_MS);
const WINDOW_MS = 100;

/**
 * Decides when gathered frames go out: at once when nothing went out lately, else together a little later. A write
 * costs the same whatever its size, so a session with very many writes gathers longer.
 */
export class Pacer {
  #timers: Timers;
  #flush: () => number;
  #cancel: (() => void) | undefined;
  #lastFlush = Number.NEGATIVE_INFINITY;
  #windowStart = 0;
  #windowWrites = 0;
  #busy = false;

  /** `flush` writes what was gathered and says how many writes that took. */
  constructor(timers: Timers, flush: () => number) {
    this.#timers = timers;
    this.#flush = flush;
  }

  /** Something was gathered. */
  nudge(): void {
    const gather = this.#busy ? BUSY_GATHER_MS : TIMES.gatherMs;
    const wait = this.#lastFlush + gather - this.#timers.now();
    // An actor's timers wait while requests keep coming in, so what a timer is late for is done here.
    if (wait <= 0) this.flush();
    else this.#cancel ??= this.#timers.after(wait, () => this.flush());
  }

  flush(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    const now = this.#timers.now();
    this.#lastFlush = now;
    this.#measure(now, this.#flush());
  }

  #measure(now: number, writes: number): void {
    if (now - this.#windowStart >= WINDOW_MS) {
      const rate = (this.#windowWrites * 1000) / Math.max(now - this.#windowStart, 1);
      this.#busy = rate > (this.#busy ? CALM_WRITES_PER_SECOND : BUSY_WRITES_PER_SECOND);
      this.#windowStart = now;
      this.#windowWrites = 0;
    }
    this.#windowWrites += writes;
  }
}
