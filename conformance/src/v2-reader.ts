import { type ClientBoundEvent, hasSeq, type LogEvent } from "@agent-ops/shared/events";
import { WebSocket } from "ws";
import type { Api } from "./api.ts";

/** A V2 reader as PROTOCOL.md describes it, written apart from the web app's: what it holds is what it was sent. */
export class V2Reader {
  readonly events: LogEvent[] = [];
  readonly others: ClientBoundEvent[] = [];
  rewinds = 0;
  generation = 0;
  #api: Api;
  #sessionId: string;
  #socket: WebSocket | undefined;
  #waiters = new Set<() => void>();

  constructor(api: Api, sessionId: string) {
    this.#api = api;
    this.#sessionId = sessionId;
  }

  get seq(): number {
    return this.events.at(-1)?.seq ?? 0;
  }

  /** From the start, or from where it was. */
  async connect(): Promise<void> {
    const query = `?since=${this.seq}${this.generation ? `&generation=${this.generation}` : ""}`;
    const url = `${this.#api.url.replace("http", "ws")}/api/sessions/${this.#sessionId}/ws${query}`;
    const socket = new WebSocket(url, { headers: this.#api.headers });
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    socket.once("open", () => resolve());
    socket.once("error", reject);
    socket.on("message", (data) => this.#onFrame(String(data)));
    this.#socket = socket;
    await promise;
  }

  /** Connects again until it works; a server that restarts refuses for a moment. */
  async reconnect(): Promise<void> {
    for (let tries = 0; ; tries++) {
      try {
        return await this.connect();
      } catch (error) {
        if (tries > 100) throw error;
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    }
  }

  get closed(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#socket?.once("close", () => resolve());
    return promise;
  }

  send(command: object): void {
    this.#socket?.send(JSON.stringify(command));
  }

  close(): void {
    this.#socket?.close();
  }

  async until(condition: (reader: V2Reader) => boolean): Promise<void> {
    if (condition(this)) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const check = () => condition(this) && resolve();
    this.#waiters.add(check);
    await promise;
    this.#waiters.delete(check);
  }

  untilTurnEnd(count = 1): Promise<void> {
    return this.until(({ events }) => events.filter((event) => event.type === "message.finalize").length >= count);
  }

  #onFrame(text: string): void {
    const frame: ClientBoundEvent[] = JSON.parse(text);
    for (const event of frame) this.#onEvent(event);
    this.send({ type: "ack", seq: this.seq });
    for (const check of this.#waiters) check();
  }

  #onEvent(event: ClientBoundEvent): void {
    if (hasSeq(event)) {
      this.events.push(event);
      return;
    }
    this.others.push(event);
    if (event.type === "hello" || event.type === "rewind") this.generation = Number(event.generation);
    if (event.type === "rewind") this.#rewind(Number(event.seq));
  }

  #rewind(seq: number): void {
    this.rewinds += 1;
    while (this.seq > seq) this.events.pop();
  }
}
