type Bucket = { tokens: number; at: number };

/** So many acts a second for each person, with a burst of twice as many or more. Buckets that are full again are forgotten. */
export class RateLimiter {
  #perSecond: number;
  #burst: number;
  #buckets = new Map<string, Bucket>();

  constructor(perSecond: number, burst = perSecond * 2) {
    this.#perSecond = perSecond;
    this.#burst = burst;
  }

  /** Whether the person may act now; if so, it counts. */
  take(user: string, now: number): boolean {
    const { tokens, at } = this.#buckets.get(user) ?? { tokens: this.#burst, at: now };
    const refilled = Math.min(this.#burst, tokens + (Math.max(now - at, 0) / 1000) * this.#perSecond);
    if (refilled < 1) return false;
    this.#buckets.set(user, { tokens: refilled - 1, at: now });
    if (this.#buckets.size > 1000) this.#forget(now);
    return true;
  }

  #forget(now: number): void {
    const fullAfterMs = (this.#burst / this.#perSecond) * 1000;
    for (const [user, { at }] of this.#buckets) if (now - at > fullAfterMs) this.#buckets.delete(user);
  }
}
