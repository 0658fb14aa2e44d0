/** Numbers that look random and are the same for the same seed. */
export class Random {
  #state: number;
  #names = 0;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** From 0 up to 1, without it (mulberry32). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }

  chance(share: number): boolean {
    return this.next() < share;
  }

  pick<T>(items: readonly T[]): T {
    const item = items[Math.floor(this.next() * items.length)];
    if (item === undefined) throw new Error("Nothing to pick from.");
    return item;
  }

  weighted<T>(items: readonly (readonly [T, number])[]): T {
    let rest = this.next() * items.reduce((total, [, weight]) => total + weight, 0);
    for (const [item, weight] of items) {
      rest -= weight;
      if (rest < 0) return item;
    }
    throw new Error("Nothing to pick from.");
  }

  /** A name that was not there before. */
  name(prefix: string): string {
    this.#names += 1;
    return `${prefix}${this.#names}`;
  }
}
