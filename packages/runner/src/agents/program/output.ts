import { Socket } from "node:net";
import { setImmediate as nextTick } from "node:timers/promises";
import type { FromProgram, ProgramEvent } from "./messages.ts";

/** A line holds this many events at most; then the process listens for what it is told. */
const LINE_EVENTS = 256;

/** Writes what the agent says as JSON lines: the events of one tick together, never faster than they are read. */
export class Output {
  /** A socket of our own, since `process.stdout` blocks the process where its reader is slow. */
  #socket: Socket;
  #batch: ProgramEvent[] = [];
  #turnId = "";
  #scheduled = false;

  constructor(fd: number) {
    this.#socket = new Socket({ fd, readable: false, writable: true });
  }

  /** Takes an event of a turn; a promise asks to wait before the next one. */
  add(turnId: string, event: ProgramEvent): Promise<void> | undefined {
    if (turnId !== this.#turnId) this.#writeBatch();
    this.#turnId = turnId;
    this.#batch.push(event);
    if (this.#batch.length >= LINE_EVENTS) return this.flush();
    if (!this.#scheduled) setImmediate(() => this.#writeBatch());
    this.#scheduled = true;
    return undefined;
  }

  /** Says how a turn ended, after all its events. */
  end(message: Exclude<FromProgram, { type: "events" }>): void {
    this.#writeBatch();
    this.#write(message);
  }

  /** Resolves when everything has left the process. */
  async flush(): Promise<void> {
    this.#writeBatch();
    await new Promise((resolve) => this.#socket.write("", resolve));
    await nextTick();
  }

  #writeBatch(): void {
    this.#scheduled = false;
    const events = this.#batch;
    this.#batch = [];
    if (events.length > 0) this.#write({ type: "events", turnId: this.#turnId, events });
  }

  #write(message: FromProgram): void {
    this.#socket.write(`${JSON.stringify(message)}\n`);
  }
}
