/** Numbers that look random and are the same for the same seed (mulberry32). */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** From 0 up to 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** A whole number, both ends included. */
  int(least: number, most: number): number {
    return least + Math.floor(this.next() * (most - least + 1));
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  pick<Item>(items: readonly [Item, ...Item[]]): Item {
    return items[this.int(0, items.length - 1)] ?? items[0];
  }

  /** One of several, as often as its weight says. */
  weighted<Item>(choices: readonly (readonly [weight: number, item: Item])[]): Item {
    let left = this.next() * choices.reduce((total, [weight]) => total + weight, 0);
    for (const [weight, item] of choices) {
      left -= weight;
      if (left < 0) return item;
    }
    throw new Error("There is nothing to choose from.");
  }

  /** Another source that does not disturb this one, however much is taken from it. */
  fork(): Random {
    return new Random(this.int(0, 2 ** 32 - 1));
  }
}
