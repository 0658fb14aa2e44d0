import { FIXED_TIMES } from "@agent-ops/shared/limits";
import type { Clock } from "./clock.ts";
import type { PackedEvent } from "./packed-event.ts";

/** A batch this long or this large goes out at once, whatever the time. */
const BATCH_EVENTS = 512;
const BATCH_BYTES = 256 * 1024;

/** People wait for these; and a prompt that an agent was given must be known to a runner that is started after this one. */
const URGENT: ReadonlySet<string> = new Set(["message.create", "message.finalize", "question"]);

/** Makes batches of events: the first at once, then what gathers in a short time. */
export class Pacer {
  #batch: PackedEvent[] = [];
  #bytes = 0;
  #deliver: (batch: readonly PackedEvent[]) => void;
  #clock: Clock;
  #window: (() => void) | undefined;

  constructor(clock: Clock, deliver: (batch: readonly PackedEvent[]) => void) {
    this.#clock = clock;
    this.#deliver = deliver;
  }

  push(event: PackedEvent): void {
    this.#batch.push(event);
    this.#bytes += event.bytes;
    const full = this.#batch.length >= BATCH_EVENTS || this.#bytes >= BATCH_BYTES;
    if (!this.#window || full || URGENT.has(event.type)) this.flush();
  }

  flush(): void {
    const batch = this.#batch;
    this.#batch = [];
    this.#bytes = 0;
    this.#window?.();
    this.#window = this.#clock.after(FIXED_TIMES.runnerGatherMs, () => this.#close());
    if (batch.length > 0) this.#deliver(batch);
  }

  stop(): void {
    this.flush();
    this.#window?.();
    this.#window = undefined;
  }

  #close(): void {
    this.#window = undefined;
    if (this.#batch.length > 0) this.flush();
  }
}
