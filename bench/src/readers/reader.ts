import { connect, type Socket } from "node:net";
import { micros } from "../clock.ts";
import { DeltaScanner } from "../delta.ts";
import type { ReaderPlan } from "./protocol.ts";

const HEAD_END = "\r\n\r\n";
const ACK_BYTES = 128 * 1024;
const LAST_CHUNK = "0\r\n\r\n";
const TAIL_CHARS = 160;

export type ReaderOptions = { total: number; sampleFrom: number | undefined; latencies: number[]; onEnd(): void };

/** One client on a raw socket: checks that every delta comes once and in order, and notes how long it took. */
export class Reader {
  deltas = 0;
  bytes = 0;
  lastDeltaAt = 0;
  firstByteMs = Number.NaN;
  failure: string | undefined;
  state: "opening" | "reading" | "done" | "failed" = "opening";
  #plan: ReaderPlan;
  #options: ReaderOptions;
  #socket: Socket;
  #scanner: DeltaScanner;
  #opened = Promise.withResolvers<void>();
  #connectedAt = 0;
  #readAt = 0;
  #head = "";
  #unacknowledged = 0;
  #last: Buffer | undefined;

  constructor(plan: ReaderPlan, options: ReaderOptions) {
    this.#plan = plan;
    this.#options = options;
    this.#scanner = new DeltaScanner((index, sentAt) => this.#onDelta(index, sentAt));
    this.#socket = connect({ host: "127.0.0.1", port: plan.port, noDelay: true }, () => {
      this.#connectedAt = micros();
      this.#socket.write(plan.request);
    });
    this.#socket.on("data", (bytes) => this.#onData(bytes));
    this.#socket.on("error", (error) => this.#fail(error.message));
    this.#socket.on("close", () => this.#fail(`closed after ${this.deltas} deltas: ${this.#tail()}`));
  }

  /** Resolves when the server has let it in. */
  get opened(): Promise<void> {
    return this.#opened.promise;
  }

  get localPort(): number {
    return this.#socket.localPort ?? 0;
  }

  resume(): void {
    this.#socket.resume();
  }

  close(): void {
    this.#end("done");
    this.#socket.destroy();
  }

  #onData(bytes: Buffer): void {
    this.#readAt = micros();
    if (this.state === "opening") return this.#onHead(bytes);
    this.#onBody(bytes);
  }

  #onHead(bytes: Buffer): void {
    if (this.#head === "") this.firstByteMs = (this.#readAt - this.#connectedAt) / 1000;
    this.#head += bytes.toString("latin1");
    const end = this.#head.indexOf(HEAD_END);
    if (end < 0) return;
    if (!/^HTTP\/1\.1 (?:200|101) /.test(this.#head)) return this.#fail(this.#head.replaceAll(/\s+/g, " "));
    const body = Buffer.from(this.#head.slice(end + HEAD_END.length), "latin1");
    this.#head = "";
    this.state = "reading";
    if (this.#plan.greeting !== undefined) this.#say(this.#plan.greeting);
    if (this.#plan.stalls) this.#socket.pause();
    this.#opened.resolve();
    if (body.length > 0) this.#onBody(body);
  }

  #onBody(bytes: Buffer): void {
    this.bytes += bytes.length;
    if (bytes.length > LAST_CHUNK.length) this.#last = bytes;
    this.#scanner.push(bytes);
    if (this.#plan.acknowledges) this.#acknowledge(bytes);
    if (this.deltas < this.#options.total || this.state !== "reading") return;
    if (this.#plan.transport === "socket" || bytes.includes("[DONE]")) this.#end("done");
  }

  #onDelta(index: number, sentAt: number): void {
    // A socket may repeat the whole message once it is over; a stream may not.
    if (this.deltas === this.#options.total && this.#plan.transport === "socket") return;
    if (index !== this.deltas) return this.#fail(`delta ${index} came where ${this.deltas} was due`);
    this.deltas++;
    this.lastDeltaAt = this.#readAt;
    const { sampleFrom, latencies } = this.#options;
    if (sampleFrom !== undefined && index >= sampleFrom) latencies.push((this.#readAt - sentAt) / 1000);
  }

  #acknowledge(bytes: Buffer): void {
    this.#unacknowledged += bytes.length;
    if (this.#unacknowledged < ACK_BYTES) return;
    const from = bytes.lastIndexOf('"seq":');
    const seq = from < 0 ? undefined : /^"seq":(\d+),/.exec(bytes.toString("latin1", from, from + 24))?.[1];
    if (seq === undefined) return;
    this.#unacknowledged = 0;
    this.#say(`{"type":"ack","seq":${seq}}`);
  }

  /** One text frame; a mask of zeros leaves the payload as it is. */
  #say(text: string): void {
    const payload = Buffer.from(text);
    const length =
      payload.length < 126 ? [0x80 | payload.length] : [0x80 | 126, payload.length >> 8, payload.length & 255];
    this.#socket.write(Buffer.concat([Buffer.from([0x81, ...length, 0, 0, 0, 0]), payload]));
  }

  #tail(): string {
    const text = this.#last?.toString("latin1") ?? this.#head;
    return text.slice(-TAIL_CHARS).replaceAll(/\s+/g, " ");
  }

  #fail(why: string): void {
    if (this.state === "done" || this.state === "failed") return;
    this.failure = why;
    this.#opened.reject(new Error(why));
    this.#end("failed");
    this.#socket.destroy();
  }

  #end(state: "done" | "failed"): void {
    if (this.state === "done" || this.state === "failed") return;
    this.state = state;
    this.#options.onEnd();
  }
}
