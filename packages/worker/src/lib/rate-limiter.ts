type Bucket = { tokens: number; at: number };

/** So many acts a second for each person, with a burst of twice as many. Buckets that are full again are forgotten. */
export class RateLimiter {
  #perSecond: number;
  #buckets = new Map<string, Bucket>();

  constructor(perSecond: number) {
    this.#perSecond = perSecond;
  }

  /** Whether the person may act now; if so, it counts. */
  take(user: string, now: number): boolean {
    const burst = this.#perSecond * 2;
    const { tokens, at } = this.#buckets.get(user) ?? { tokens: burst, at: now };
    const refilled = Math.min(burst, tokens + (Math.max(now - at, 0) / 1000) * this.#perSecond);
    if (refilled < 1) return false;
    this.#buckets.set(user, { tokens: refilled - 1, at: now });
    if (this.#buckets.size > 1000) this.#forget(now);
    return true;
  }

  #forget(now: number): void {
    for (const [user, { at }] of this.#buckets) if (now - at > 2000) this.#buckets.delete(user);
  }
}
