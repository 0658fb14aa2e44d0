type Reader<Item> = { resolve(result: IteratorResult<Item>): void; reject(error: unknown): void };

/** A bounded queue between one producer and one consumer: a full channel makes the producer wait. */
export class Channel<Item extends object> implements AsyncIterable<Item>, AsyncIterator<Item> {
  #items: Item[] = [];
  #capacity: number;
  #reader: Reader<Item> | undefined;
  #writers: (() => void)[] = [];
  #end: { error?: unknown } | undefined;

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /** Resolves when there is room for more. After the end, items are dropped. */
  async push(item: Item): Promise<void> {
    if (this.#end) return;
    const reader = this.#reader;
    this.#reader = undefined;
    if (reader) reader.resolve({ done: false, value: item });
    else this.#items.push(item);
    if (this.#items.length >= this.#capacity) await new Promise<void>((resolve) => this.#writers.push(resolve));
  }

  /** What is queued is still read, then the iteration ends, or throws `error`. */
  end(failure: { error?: unknown } = {}): void {
    if (this.#end) return;
    this.#end = failure;
    this.#wakeWriters();
    const reader = this.#reader;
    this.#reader = undefined;
    if (reader) this.#finish(reader);
  }

  next(): Promise<IteratorResult<Item>> {
    return new Promise((resolve, reject) => {
      const reader = { resolve, reject };
      const value = this.#items.shift();
      if (value !== undefined) {
        resolve({ done: false, value });
        if (this.#items.length < this.#capacity) this.#wakeWriters();
      } else if (this.#end) this.#finish(reader);
      else this.#reader = reader;
    });
  }

  /** The consumer has had enough. */
  async return(): Promise<IteratorResult<Item>> {
    this.end();
    this.#items = [];
    return { done: true, value: undefined };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  #finish(reader: Reader<Item>): void {
    const failure = this.#end ?? {};
    this.#end = {};
    if ("error" in failure) reader.reject(failure.error);
    else reader.resolve({ done: true, value: undefined });
  }

  #wakeWriters(): void {
    const writers = this.#writers;
    this.#writers = [];
    for (const wake of writers) wake();
  }
}
