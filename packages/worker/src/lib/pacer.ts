import { FIXED_TIMES } from "@agent-ops/shared/limits";
import type { WriteRate } from "./load.ts";

/** What the pacer needs of time. */
export type Timers = { now(): number; after(ms: number, work: () => void): () => void };

/**
 * Decides when gathered frames go out: at once when nothing went out lately, else together a little later. A write
 * costs the same whatever its size, so where there are very many of them all gather longer.
 */
export class Pacer {
  #timers: Timers;
  #flush: () => number;
  #cancel: (() => void) | undefined;
  #lastFlush = Number.NEGATIVE_INFINITY;
  #writes: WriteRate;

  /** `flush` writes what was gathered and says how many writes that took. */
  constructor(timers: Timers, writes: WriteRate, flush: () => number) {
    this.#timers = timers;
    this.#writes = writes;
    this.#flush = flush;
  }

  /** Something was gathered. */
  nudge(): void {
    const gather = this.#writes.high ? FIXED_TIMES.busyGatherMs : FIXED_TIMES.gatherMs;
    // A clock that was set back makes nobody wait for it.
    const wait = Math.min(this.#lastFlush + gather - this.#timers.now(), gather);
    // An actor's timers wait while requests keep coming in, so what a timer is late for is done here.
    if (wait <= 0) this.flush();
    else this.#cancel ??= this.#timers.after(wait, () => this.flush());
  }

  flush(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    const now = this.#timers.now();
    this.#lastFlush = now;
    this.#writes.count(now, this.#flush());
  }
}
