import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { hostCommand, type PoolCommand, type RunnerCommand, runnerFrame } from "@agent-ops/shared/frames";
import { onTestFinished } from "vitest";
import { type WebSocket, WebSocketServer } from "ws";
import type { z } from "zod";

type Event = { type: string; [key: string]: unknown };

/** One connection of a runner, seen from the worker. */
export class Connection {
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  readonly received: unknown[] = [];
  readonly socket: WebSocket;
  closeCode: number | undefined;
  #waiting: (() => void)[] = [];

  constructor(socket: WebSocket, request: IncomingMessage) {
    this.socket = socket;
    this.path = request.url ?? "";
    this.headers = request.headers;
    socket.on("message", (data) => {
      this.received.push(JSON.parse(String(data)));
      this.#wake();
    });
    socket.on("close", (code) => {
      this.closeCode = code;
      this.#wake();
    });
  }

  send(...commands: (RunnerCommand | PoolCommand)[]): void {
    this.socket.send(JSON.stringify(commands));
  }

  frames() {
    return this.received.flatMap((item) => {
      const parsed = runnerFrame.safeParse(item);
      return parsed.success ? [parsed.data] : [];
    });
  }

  /** Everything that arrived, numbered. */
  events(): { seq: number; event: Event }[] {
    return this.frames().flatMap((frame) => frame.events.map((event, index) => ({ seq: frame.seq + index, event })));
  }

  hello(): z.infer<typeof hostCommand> {
    return hostCommand.parse(this.received[0]);
  }

  /** Resolves as soon as something that arrived satisfies the condition. */
  async until(condition: (connection: this) => boolean): Promise<this> {
    while (!condition(this)) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    return this;
  }

  untilFinalize(turnId: string): Promise<this> {
    return this.until(() => this.finalizeOf(turnId) !== undefined);
  }

  finalizeOf(turnId: string): Event | undefined {
    const isIt = (event: Event) => event.type === "message.finalize" && event.turnId === turnId;
    return this.events().find(({ event }) => isIt(event))?.event;
  }

  async untilClosed(): Promise<void> {
    if (this.socket.readyState !== this.socket.CLOSED) await once(this.socket, "close");
  }

  #wake(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const wake of waiting) wake();
  }
}

/** The worker's side of the runner's doors, played by the test. */
export class FakeWorker {
  readonly connections: Connection[] = [];
  /** How the next upgrades are answered instead of being accepted. */
  refuseNext: { status: number; code?: string }[] = [];
  #server = createServer();
  #arrivals: ((connection: Connection) => void)[] = [];
  #unclaimed: Connection[] = [];

  static async start(): Promise<FakeWorker> {
    const worker = new FakeWorker();
    worker.#server.listen(0, "127.0.0.1");
    await once(worker.#server, "listening");
    onTestFinished(() => worker.stop());
    return worker;
  }

  private constructor() {
    const sockets = new WebSocketServer({ noServer: true });
    this.#server.on("upgrade", (request, socket, head) => {
      const refusal = this.refuseNext.shift();
      if (!refusal) {
        sockets.handleUpgrade(request, socket, head, (opened) => this.#arrived(new Connection(opened, request)));
        return;
      }
      const code = refusal.code ? `x-error-code: ${refusal.code}\r\n` : "";
      socket.end(`HTTP/1.1 ${refusal.status} No\r\n${code}content-length: 0\r\nconnection: close\r\n\r\n`);
    });
  }

  get baseUrl(): string {
    const { port } = this.#server.address() as AddressInfo;
    return `ws://127.0.0.1:${port}`;
  }

  /** The next connection that a runner opens. */
  async next(): Promise<Connection> {
    return this.#unclaimed.shift() ?? new Promise((resolve) => this.#arrivals.push(resolve));
  }

  stop(): void {
    for (const { socket } of this.connections) socket.terminate();
    this.#server.close();
  }

  #arrived(connection: Connection): void {
    this.connections.push(connection);
    const arrival = this.#arrivals.shift();
    if (arrival) arrival(connection);
    else this.#unclaimed.push(connection);
  }
}
