import type { UnknownEvent } from "@agent-ops/shared/events";
import { FakeRunnerSocket } from "./fake-sockets.ts";
import type { TestSession } from "./test-session.ts";

/** A runner as RUN3 says: it keeps what is not acknowledged and sends it again. Deliveries are the test's to cut. */
export class ModelRunner {
  /** All it ever said. */
  readonly said: UnknownEvent[] = [];
  #session: TestSession;
  #socket: FakeRunnerSocket | undefined;
  #heard = 0;
  /** The number of the last event that is acknowledged; what is said after it is the outbox. */
  #acknowledged = 0;
  /** The number of the last event that went out on this connection. */
  #sent = 0;

  constructor(session: TestSession) {
    this.#session = session;
  }

  get connected(): boolean {
    return this.#socket !== undefined;
  }

  get unsent(): number {
    return this.said.length - this.#sent;
  }

  say(...events: UnknownEvent[]): void {
    this.said.push(...events);
  }

  connect(): void {
    this.cut();
    this.#socket = new FakeRunnerSocket();
    this.#heard = 0;
    this.#sent = this.#acknowledged;
    this.#session.room.runner.connected(this.#socket, this.#session.epoch);
    this.#listen();
  }

  /** The connection breaks and the session notices. */
  cut(): void {
    if (this.#socket) this.#session.room.runner.gone(this.#socket, 1006);
    this.#socket = undefined;
  }

  /** The connection broke because the session's process died. */
  lose(): void {
    this.#socket = undefined;
  }

  /** Sends the next `count` events as one frame. */
  deliver(count: number): void {
    const from = this.#sent;
    this.#frame(from, count);
    this.#sent = Math.max(this.#sent, Math.min(from + count, this.said.length));
    this.#listen();
  }

  /** Sends events again that went out before; `back` says how far. Only what the outbox still has. */
  repeat(back: number, count: number): void {
    this.#frame(Math.max(this.#sent - back, this.#acknowledged), count);
    this.#listen();
  }

  /** A frame overtakes the one before it. */
  overtake(skipped: number, count: number): void {
    this.#frame(this.#sent + skipped, count);
    this.#listen();
  }

  /** Whatever acknowledgements came meanwhile. */
  #listen(): void {
    for (const command of this.#socket?.commands.slice(this.#heard) ?? []) {
      this.#heard += 1;
      if (command.type !== "ack") continue;
      this.#acknowledged = Math.max(this.#acknowledged, command.seq);
      this.#sent = command.resend ? command.seq : Math.max(this.#sent, command.seq);
    }
  }

  #frame(after: number, count: number): void {
    const events = this.said.slice(after, after + count);
    if (!this.#socket || events.length === 0) return;
    this.#session.room.runner.frame(this.#socket, { epoch: this.#session.epoch, seq: after + 1, events });
  }
}
