import { setImmediate } from "node:timers/promises";
import type { LogEvent, LogPayload } from "@agent-ops/shared/events";
import { ChatStreams, type OpenStream } from "../../src/lib/ai-sdk-stream.ts";
import { ManualClock } from "../manual-clock.ts";
import { TURN } from "./turn-events.ts";

/** The AI SDK streams of a session over a log that the test writes. */
export class StreamScene {
  readonly clock = new ManualClock();
  readonly log: LogEvent[] = [];
  readonly streams: ChatStreams;
  /** The last seq that was read for a replay. */
  replayed = 0;

  /** `page` is how many events a row of the log holds. */
  constructor(page = 3) {
    const readAfter = (seq: number) => {
      const events = this.log.slice(seq, seq + page);
      this.replayed = Math.max(this.replayed, events.at(-1)?.seq ?? 0);
      return events.map((event) => ({ event }));
    };
    this.streams = new ChatStreams({ readAfter }, this.clock);
  }

  open(options: Partial<OpenStream> = {}): Response {
    const kind = { approvals: "question" as const, named: false, transient: true };
    return new Response(this.streams.open({ turnId: TURN, kind, from: { at: "start" }, startSeq: 0, ...options }));
  }

  /** A reader that has caught up. */
  async openLive(options: Partial<OpenStream> = {}): Promise<Response> {
    const response = this.open(options);
    await settle();
    return response;
  }

  add(...payloads: LogPayload[]): void {
    for (const payload of payloads) {
      const event: LogEvent = { ...payload, seq: this.log.length + 1, ts: this.clock.now() };
      this.log.push(event);
      this.streams.push(event);
    }
  }

  /** Adds and writes at once. */
  tell(...payloads: LogPayload[]): void {
    this.add(...payloads);
    this.streams.flush();
  }
}

/** Lets everything that streams have queued happen. */
export async function settle(): Promise<void> {
  await setImmediate();
}

/** Reads one piece of a body at a time, as far as a test wants. */
export class SlowReader {
  text = "";
  #reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  #decoder = new TextDecoder();

  constructor(response: Response) {
    this.#reader = response.body?.getReader();
  }

  /** False at the end of the body. */
  async read(): Promise<boolean> {
    const { done, value } = (await this.#reader?.read()) ?? { done: true, value: undefined };
    this.text += this.#decoder.decode(value, { stream: true });
    return !done;
  }

  async readUntil(isEnough: () => boolean): Promise<void> {
    while (!isEnough() && (await this.read()));
  }

  cancel(): Promise<void> | undefined {
    return this.#reader?.cancel();
  }
}
