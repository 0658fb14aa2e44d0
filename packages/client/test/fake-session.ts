import type { LogEvent } from "@agent-ops/shared/events";
import { emptyInit } from "./event-script.ts";

/** Stands in for the browser's class; the fake session below is its other end. */
export class FakeWebSocket {
  static readonly OPEN = 1;
  static opened: FakeWebSocket[] = [];
  static accept: (socket: FakeWebSocket) => void = () => undefined;

  readonly url: URL;
  readonly sent: { type: string; [key: string]: unknown }[] = [];
  isOpen = true;
  onmessage: ((event: { data: string }) => void) | null = null;
  onclose: (() => void) | null = null;

  get readyState(): number {
    return this.isOpen ? FakeWebSocket.OPEN : 2;
  }

  constructor(url: string) {
    this.url = new URL(url);
    FakeWebSocket.opened.push(this);
    queueMicrotask(() => FakeWebSocket.accept(this));
  }

  send(text: string): void {
    this.sent.push(JSON.parse(text));
  }

  close(): void {
    if (!this.isOpen) return;
    this.isOpen = false;
    queueMicrotask(() => this.onclose?.());
  }

  deliver(...events: unknown[]): void {
    if (this.isOpen) this.onmessage?.({ data: JSON.stringify(events) });
  }
}

/** A session that keeps a log and answers readers as LOG6 says. */
export class FakeSession {
  readonly log: LogEvent[] = [];
  generation = 1;

  constructor() {
    FakeWebSocket.opened = [];
    FakeWebSocket.accept = (socket) => this.#greet(socket);
  }

  get reader(): FakeWebSocket {
    const reader = FakeWebSocket.opened.at(-1);
    if (!reader) throw new Error("Nobody has connected.");
    return reader;
  }

  /** Adds to the log and shows it to whoever is connected. */
  say(...texts: string[]): void {
    const events = texts.map((title, at) => ({ type: "title", title, seq: this.log.length + 1 + at, ts: 0 }));
    this.log.push(...events);
    this.reader.deliver(...events);
  }

  #greet(socket: FakeWebSocket): void {
    const since = socket.url.searchParams.get("since");
    const { generation } = this;
    if (since === null) {
      socket.deliver({ ...emptyInit, generation, seq: this.log.length });
      return;
    }
    socket.deliver({ type: "hello", generation, seq: Number(since), people: [] });
    const missed = this.log.slice(Number(since));
    if (missed.length > 0) socket.deliver(...missed);
  }
}
