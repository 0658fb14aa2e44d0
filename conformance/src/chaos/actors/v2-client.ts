import { type ClientBoundEvent, hasSeq, type LogEvent, type ReaderEvent } from "@agent-ops/shared/events";
import { WebSocket } from "ws";
import type { Api } from "../../api.ts";
import type { Recording } from "../recording.ts";

const RETRY_MS = 60;
const HANDSHAKE_MS = 2_000;

export type V2ClientOptions = {
  api: Api;
  sessionId: string;
  recording: Recording;
  onEvent(event: LogEvent): void;
  onReply(reply: ReaderEvent): void;
};

type Line = { number: number; socket: WebSocket; seq: number };

/** A reader of the V2 socket that comes back from its last place after every loss, and writes down each frame it gets. */
export class V2Client {
  #options: V2ClientOptions;
  #lines: Line[] = [];
  #count = 0;
  #seq = 0;
  #generation = 0;
  #stopped = false;
  #retry: NodeJS.Timeout | undefined;

  constructor(options: V2ClientOptions) {
    this.#options = options;
    this.#open(0);
  }

  get seq(): number {
    return this.#seq;
  }

  get connected(): boolean {
    return this.#current?.socket.readyState === WebSocket.OPEN;
  }

  send(command: object): void {
    if (this.connected) this.#current?.socket.send(JSON.stringify(command));
  }

  cut(): void {
    for (const { socket } of [...this.#lines]) socket.terminate();
  }

  /** Reads nothing for a while; what comes waits in the kernels, then at the server. */
  stall(ms: number): void {
    const socket = this.#current?.socket;
    if (socket?.readyState !== WebSocket.OPEN) return;
    socket.pause();
    setTimeout(() => socket.resume(), ms);
  }

  /** Opens several connections at once, each from so far back; the earlier ones close when the last one is greeted. */
  storm(backs: readonly number[]): void {
    for (const back of backs) this.#open(Math.max(0, this.#seq - back));
  }

  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#retry);
    for (const { socket } of [...this.#lines]) socket.terminate();
  }

  get #current(): Line | undefined {
    return this.#lines.at(-1);
  }

  /** From here on the new connection is the one that counts, and what lies beyond its cursor is forgotten. */
  #open(since: number): void {
    const { api, sessionId, recording } = this.#options;
    const generation = this.#generation;
    const query = `?since=${since}${generation ? `&generation=${generation}` : ""}`;
    const url = `${api.url.replace("http", "ws")}/api/sessions/${sessionId}/ws${query}`;
    const socket = new WebSocket(url, { headers: api.headers, handshakeTimeout: HANDSHAKE_MS });
    const line: Line = { number: ++this.#count, socket, seq: since };
    recording.note({ k: "open", c: line.number, since, generation });
    this.#seq = since;
    this.#lines.push(line);
    socket.on("message", (data) => this.#onFrame(line, String(data)));
    socket.on("error", () => undefined); // `close` follows
    socket.on("close", () => this.#onClose(line));
  }

  #onClose(line: Line): void {
    const wasCurrent = line === this.#current;
    this.#options.recording.note({ k: "close", c: line.number });
    this.#lines = this.#lines.filter((other) => other !== line);
    if (!wasCurrent || this.#stopped) return;
    // An earlier connection that is still open has gone its own way since.
    for (const { socket } of this.#lines.splice(0)) socket.terminate();
    clearTimeout(this.#retry);
    this.#retry = setTimeout(() => this.#open(this.#seq), RETRY_MS);
  }

  #onFrame(line: Line, text: string): void {
    this.#options.recording.note({ k: "frame", c: line.number, text });
    const frame: ClientBoundEvent[] = JSON.parse(text);
    for (const event of frame) this.#onEvent(line, event);
    if (line.socket.readyState === WebSocket.OPEN) line.socket.send(JSON.stringify({ type: "ack", seq: line.seq }));
  }

  #onEvent(line: Line, event: ClientBoundEvent): void {
    const counts = line === this.#current;
    if (hasSeq(event)) {
      line.seq = event.seq;
      if (counts) this.#seq = event.seq;
      if (counts) this.#options.onEvent(event);
      return;
    }
    if (event.type === "rewind") line.seq = Number(event.seq);
    if (!counts) return;
    if (event.type === "hello" || event.type === "rewind") this.#greeted(event.type, Number(event.generation));
    this.#options.onReply(event as ReaderEvent); // whatever has no number is one
  }

  #greeted(how: "hello" | "rewind", generation: number): void {
    this.#generation = generation;
    if (how === "rewind") this.#seq = this.#current?.seq ?? 0;
    for (const { socket } of this.#lines.slice(0, -1).reverse()) socket.close();
  }
}
