import { type ClientBoundEvent, hasSeq, type InitEvent, type LogEvent } from "@agent-ops/shared/events";
import { WebSocket } from "ws";
import type { Outcome } from "./acts.ts";

const REFUSED = /Unexpected server response: (\d+)/;
const CODES: Record<string, string> = { "401": "unauthorized", "404": "not_found" };

/** A V2 socket of one person, with all that it ever received. */
export class Listener {
  readonly events: LogEvent[] = [];
  readonly #others: ClientBoundEvent[] = [];
  readonly #socket: WebSocket;
  #wake = Promise.withResolvers<void>();

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.on("message", (data) => {
      const frame: ClientBoundEvent[] = JSON.parse(String(data));
      for (const event of frame) hasSeq(event) ? this.events.push(event) : this.#others.push(event);
      this.#signal();
    });
    socket.on("close", () => this.#signal());
  }

  /** An open socket, or the code of the refusal. */
  static async open(url: string, headers: Record<string, string>): Promise<Listener | Outcome> {
    const socket = new WebSocket(url, { headers });
    const listener = new Listener(socket);
    const { promise, resolve, reject } = Promise.withResolvers<Listener | Outcome>();
    socket.once("open", () => resolve(listener));
    socket.once("error", (error) => {
      const code = CODES[REFUSED.exec(error.message)?.[1] ?? ""];
      if (code) resolve(code);
      else reject(error);
    });
    return promise;
  }

  get isOpen(): boolean {
    return this.#socket.readyState === WebSocket.OPEN;
  }

  /** Sends a command; what came of it is known when the ping behind it is answered. */
  async act(command: object): Promise<Outcome> {
    const start = this.#others.length;
    this.#socket.send(JSON.stringify([command, { type: "ping" }]));
    await this.#until(() => this.#others.slice(start).some(({ type }) => type === "pong"));
    const error = this.#others.slice(start).find(({ type }) => type === "error");
    return error && "code" in error ? String(error.code) : "ok";
  }

  async init(): Promise<InitEvent> {
    const found = () => this.#others.find((event): event is InitEvent => event.type === "init");
    await this.#until(() => found() !== undefined);
    return found() as InitEvent; // which was just found
  }

  close(): void {
    this.#socket.close();
  }

  async #until(condition: () => boolean): Promise<void> {
    while (!condition()) {
      if (!this.isOpen) throw new Error("The socket was closed.");
      await this.#wake.promise;
    }
  }

  #signal(): void {
    this.#wake.resolve();
    this.#wake = Promise.withResolvers();
  }
}
