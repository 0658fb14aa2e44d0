import { SELF } from "cloudflare:test";
import type { UnknownEvent } from "@agent-ops/shared/events";
import { z } from "zod";
import { AUDIENCE } from "../../../src/lib/auth.ts";
import { ORIGIN, signToken } from "./api.ts";

const item = z.looseObject({ type: z.string() });
export type Item = z.infer<typeof item>;

/** A client's end of a WebSocket that remembers what came, so that nothing is missed while a test is elsewhere. */
export class TestSocket {
  readonly received: Item[] = [];
  closed: number | undefined;
  #socket: WebSocket;
  #wake = Promise.withResolvers<void>();

  constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.addEventListener("message", ({ data }) => {
      this.received.push(...z.array(item).parse(JSON.parse(String(data))));
      this.#signal();
    });
    socket.addEventListener("close", ({ code }) => {
      this.closed = code;
      this.#signal();
    });
    socket.accept();
  }

  sendText(text: string | Uint8Array): void {
    this.#socket.send(text);
  }

  send(value: unknown): void {
    this.sendText(JSON.stringify(value));
  }

  close(): void {
    this.#socket.close(1000, "done");
  }

  /** Waits until something that came fits, however long ago it came. */
  async until<T>(find: (received: readonly Item[]) => T | undefined): Promise<T> {
    for (;;) {
      const found = find(this.received);
      if (found !== undefined) return found;
      if (this.closed !== undefined) throw new Error(`The socket was closed with ${this.closed}.`);
      await this.#wake.promise;
    }
  }

  /** The first item of this type from place `from` on. */
  next(type: string, from = 0): Promise<Item> {
    return this.until((received) => received.slice(from).find((entry) => entry.type === type));
  }

  async untilClosed(): Promise<number> {
    while (this.closed === undefined) await this.#wake.promise;
    return this.closed;
  }

  #signal(): void {
    this.#wake.resolve();
    this.#wake = Promise.withResolvers();
  }
}

export function upgrade(path: string, headers: Record<string, string> = {}): Promise<Response> {
  return SELF.fetch(`${ORIGIN}${path}`, { headers: { upgrade: "websocket", ...headers } });
}

export async function openSocket(path: string, headers: Record<string, string> = {}): Promise<TestSocket> {
  const response = await upgrade(path, headers);
  if (!response.webSocket) throw new Error(`No socket: ${response.status} ${await response.text()}`);
  return new TestSocket(response.webSocket);
}

export async function bearer(
  user: string,
  audience?: Parameters<typeof signToken>[1],
): Promise<Record<string, string>> {
  return { authorization: `Bearer ${await signToken(user, audience)}` };
}

/** A V2 reader with a token. */
export async function openReader(sessionId: string, user: string, query = ""): Promise<TestSocket> {
  return openSocket(`/api/sessions/${sessionId}/ws${query}`, await bearer(user));
}

/** A runner host that takes the sessions it is given, and a runner for each. */
export class FakeHost {
  readonly control: TestSocket;
  readonly name: string;

  private constructor(name: string, control: TestSocket) {
    this.name = name;
    this.control = control;
  }

  static async join(): Promise<FakeHost> {
    const name = `host-${crypto.randomUUID()}`;
    const control = await openSocket("/api/runner/host", await bearer(name, AUDIENCE.runner));
    control.send({ type: "hello", agents: ["demo"], sessions: [] });
    control.send({ type: "ping" });
    await control.next("pong");
    return new FakeHost(name, control);
  }

  /** Waits for the session's lease and opens its socket. */
  async runner(sessionId: string): Promise<FakeRunner> {
    const open = await this.control.until((received) =>
      received.findLast((entry) => entry.type === "open" && entry.sessionId === sessionId),
    );
    return this.connect(sessionId, Number(open.epoch));
  }

  async connect(sessionId: string, epoch: number): Promise<FakeRunner> {
    const headers = await bearer(this.name, AUDIENCE.runner);
    return new FakeRunner(await openSocket(`/api/runner/sessions/${sessionId}?epoch=${epoch}`, headers), epoch);
  }

  leave(): void {
    this.control.close();
  }
}

export class FakeRunner {
  readonly socket: TestSocket;
  readonly epoch: number;
  #seq = 0;

  constructor(socket: TestSocket, epoch: number) {
    this.socket = socket;
    this.epoch = epoch;
  }

  get seq(): number {
    return this.#seq;
  }

  async prompt(): Promise<string> {
    return String((await this.socket.next("prompt")).turnId);
  }

  send(...events: UnknownEvent[]): void {
    this.sendText(JSON.stringify(events), events.length);
  }

  /** Sends `count` events that are JSON already. */
  sendText(events: string, count: number): void {
    this.socket.sendText(`{"epoch":${this.epoch},"seq":${this.#seq + 1},"events":${events}}`);
    this.#seq += count;
  }

  /** Waits until the session has stored all that was sent. */
  async stored(): Promise<void> {
    await this.socket.until((received) => received.find((entry) => entry.type === "ack" && entry.seq === this.#seq));
  }
}
