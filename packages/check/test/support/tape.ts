/** Grows whoever reads, and can be read from any index until it ends. */
export class Tape<T> {
  readonly #items: T[] = [];
  isOver = false;
  #wake = Promise.withResolvers<void>();

  add(item: T): void {
    this.#items.push(item);
    this.#wake.resolve();
    this.#wake = Promise.withResolvers();
  }

  end(): void {
    this.isOver = true;
    this.#wake.resolve();
  }

  async *read(from = 0): AsyncGenerator<T> {
    for (let index = from; ; index += 1) {
      while (index >= this.#items.length) {
        if (this.isOver) return;
        await this.#wake.promise;
      }
      yield* this.#items.slice(index, index + 1);
    }
  }
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
