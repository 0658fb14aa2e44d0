import { FIXED_TIMES } from "@agent-ops/shared/limits";

const HIGH_PER_SECOND = 10_000;
/** Gathering longer makes fewer writes by itself; only what stays below this is low again. */
const LOW_PER_SECOND = HIGH_PER_SECOND * (FIXED_TIMES.gatherMs / FIXED_TIMES.busyGatherMs);
const WINDOW_MS = 100;

/** How many writes go out to readers, and whether that is too many. */
export class WriteRate {
  #windowStart = 0;
  #writes = 0;
  #high = false;

  get high(): boolean {
    return this.#high;
  }

  count(now: number, writes: number): void {
    const passed = now - this.#windowStart;
    if (passed >= WINDOW_MS || passed < 0) {
      this.#high =
        (this.#writes * 1000) / Math.max(passed, WINDOW_MS) > (this.#high ? LOW_PER_SECOND : HIGH_PER_SECOND);
      this.#windowStart = now;
      this.#writes = 0;
    }
    this.#writes += writes;
  }
}

/** Spreads transactions: each stops everyone for a moment, and those who began together would store together. */
export class StoreSlots {
  #last = 0;

  /** When to store what waits from `now` on: after `ms`, or later where others are before it. */
  next(now: number, ms: number): number {
    const free = Math.max(now + ms, this.#last + FIXED_TIMES.storeApartMs);
    // Where all are taken, they are gone through once more.
    this.#last = free <= now + Math.max(ms, FIXED_TIMES.storeAtLastMs) ? free : now + ms;
    return this.#last;
  }
}

/** What all sessions of a process do together: they share one thread. */
export class Load {
  readonly writes = new WriteRate();
  readonly slots = new StoreSlots();
}
