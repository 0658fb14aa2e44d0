const ACK_EVENTS = 200;
const ACK_CHARS = 256 * 1024;
const ACK_DELAY_MS = 250;

/** Decides when a reader tells the session how far it has read: often enough that the session never waits for it. */
export class AckSchedule {
  readonly #send: (seq: number) => void;
  #seq = 0;
  #events = 0;
  #chars = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(send: (seq: number) => void) {
    this.#send = send;
  }

  received(seq: number, events: number, chars: number): void {
    this.#seq = seq;
    this.#events += events;
    this.#chars += chars;
    if (this.#events >= ACK_EVENTS || this.#chars >= ACK_CHARS) this.flush();
    else if (this.#events > 0) this.#timer ??= setTimeout(() => this.flush(), ACK_DELAY_MS);
  }

  flush(): void {
    this.reset();
    this.#send(this.#seq);
  }

  reset(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#events = 0;
    this.#chars = 0;
  }
}
