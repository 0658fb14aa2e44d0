/**
 * The alarm of an actor, which is a write: one that comes too early finds nothing due and is set again, so it is only
 * moved to an earlier time.
 */
export class LazyAlarm {
  #at = Number.POSITIVE_INFINITY;
  #set: (at: number) => void;

  constructor(set: (at: number) => void) {
    this.#set = set;
  }

  set(at: number): void {
    if (at >= this.#at) return;
    this.#at = at;
    this.#set(at);
  }

  /** It has rung, or what set it was undone: the next one counts, whenever it is. */
  forget(): void {
    this.#at = Number.POSITIVE_INFINITY;
  }
}
