import { percentiles } from "../percentiles.ts";
import type { GroupStats, ReaderRequest } from "./protocol.ts";
import { Reader } from "./reader.ts";

const OPENING_AT_ONCE = 64;
const FAILURES_TOLD = 3;

type OpenRequest = Extract<ReaderRequest, { type: "open" }>;

/** Readers that are opened, counted and closed together. */
export class ReaderGroup {
  #readers: Reader[] = [];
  #latencies: number[] = [];
  #ended = Promise.withResolvers<void>();
  #open = 0;

  async open(request: OpenRequest): Promise<void> {
    const { total, sampleFrom } = request;
    this.#open += request.plans.length;
    const onEnd = () => {
      if (--this.#open === 0) this.#ended.resolve();
    };
    const waiting = [...request.plans];
    const openNext = async () => {
      for (let plan = waiting.shift(); plan; plan = waiting.shift()) {
        const reader = new Reader(plan, { total, sampleFrom, latencies: this.#latencies, onEnd });
        this.#readers.push(reader);
        await reader.opened;
      }
    };
    await within(request.timeoutMs, Promise.all(Array.from({ length: OPENING_AT_ONCE }, openNext)));
  }

  /** Waits until every reader has all of it, or until the time is over. */
  async collect(timeoutMs: number): Promise<GroupStats> {
    for (const reader of this.#readers) reader.resume();
    await within(timeoutMs, this.#ended.promise).catch(() => undefined);
    return this.stats();
  }

  stats(): GroupStats {
    const readers = this.#readers;
    const sum = (pick: (reader: Reader) => number) => readers.reduce((total, reader) => total + pick(reader), 0);
    return {
      readers: readers.length,
      complete: readers.filter((reader) => reader.state === "done").length,
      deltas: sum((reader) => reader.deltas),
      bytes: sum((reader) => reader.bytes),
      lastDeltaAt: readers.reduce((latest, reader) => Math.max(latest, reader.lastDeltaAt), 0),
      latencyMs: percentiles(this.#latencies),
      firstBytesMs: readers.map((reader) => reader.firstByteMs),
      ports: readers.map((reader) => reader.localPort),
      failures: [...new Set(readers.flatMap((reader) => reader.failure ?? []))].slice(0, FAILURES_TOLD),
    };
  }

  close(): void {
    for (const reader of this.#readers) reader.close();
  }
}

async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`not within ${ms} ms`)), ms);
  try {
    return await Promise.race([work, promise]);
  } finally {
    clearTimeout(timer);
  }
}
