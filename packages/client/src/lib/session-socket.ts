import { type ClientBoundEvent, hasSeq } from "@agent-ops/shared/events";
import { type ClientCommand, parseJsonFrame } from "@agent-ops/shared/frames";
import { AckSchedule } from "./ack-schedule.ts";
import { ApiError } from "./api-error.ts";
import { parseClientEvent } from "./client-event.ts";

export type Connection =
  | { kind: "connecting" }
  | { kind: "live" }
  | { kind: "waiting"; attempt: number; retryAt: number }
  | { kind: "closed"; reason: "unauthorized" | "no_access" };

export type Cursor = { seq: number; generation: number };

export type SessionSocketOptions = {
  /** A fresh single-use ticket; an `ApiError` of 401, 403 or 404 ends the attempts. */
  ticket: () => Promise<string>;
  url: (ticket: string, cursor: Cursor | undefined) => string;
  onEvents: (events: ClientBoundEvent[]) => void;
  onConnection: (connection: Connection) => void;
  /** From 0 to 1; spreads out the pages that a restart cut off. */
  random?: () => number;
};

const FIRST_RETRY_MS = 250;
const LAST_RETRY_MS = 10_000;
const GREETING_MS = 10_000;
const HEARTBEAT_MS = 15_000;

type Step = "taken" | "ignored" | "reconnect";

/** A reader of one session that survives its connections: every event of the log reaches `onEvents` once, in order. */
export class SessionSocket {
  readonly #options: SessionSocketOptions;
  readonly #acks = new AckSchedule((seq) => this.send({ type: "ack", seq }));
  #socket: WebSocket | undefined;
  #cursor: Cursor | undefined;
  #connection: Connection = { kind: "connecting" };
  #attempt = 0;
  /** Grows with every connect and stop, so that what an earlier one started knows it is stale. */
  #epoch = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #heard = true;

  constructor(options: SessionSocketOptions) {
    this.#options = options;
  }

  start(): void {
    void this.#connect();
  }

  stop(): void {
    this.#drop();
  }

  /** Skips what is left of a wait, for when the network came back. */
  retryNow(): void {
    if (this.#connection.kind === "waiting") void this.#connect();
  }

  /** False where there is no live connection to send on. */
  send(command: ClientCommand): boolean {
    if (this.#connection.kind !== "live" || this.#socket?.readyState !== WebSocket.OPEN) return false;
    this.#socket.send(JSON.stringify(command));
    return true;
  }

  async #connect(): Promise<void> {
    this.#drop();
    const epoch = this.#epoch;
    this.#report({ kind: "connecting" });
    try {
      const ticket = await this.#options.ticket();
      if (epoch === this.#epoch) this.#open(ticket);
    } catch (error) {
      if (epoch === this.#epoch) this.#refused(error);
    }
  }

  #open(ticket: string): void {
    const socket = new WebSocket(this.#options.url(ticket, this.#cursor));
    this.#socket = socket;
    socket.onmessage = (event) => {
      if (socket === this.#socket && typeof event.data === "string") this.#receive(event.data);
    };
    socket.onclose = () => {
      if (socket === this.#socket) this.#wait();
    };
    this.#timer = setTimeout(() => this.#wait(), GREETING_MS);
  }

  #receive(text: string): void {
    this.#heard = true;
    const taken: ClientBoundEvent[] = [];
    let reconnect = false;
    for (const raw of parseJsonFrame(text) ?? []) {
      const event = parseClientEvent(raw);
      const step = event === undefined ? "ignored" : this.#step(event);
      if (event !== undefined && step === "taken") taken.push(event);
      reconnect = step === "reconnect";
      if (reconnect) break;
    }
    if (taken.length > 0) this.#options.onEvents(taken);
    const numbered = taken.filter((event) => hasSeq(event)).length;
    if (this.#cursor) this.#acks.received(this.#cursor.seq, numbered, numbered > 0 ? text.length : 0);
    if (taken.some(isAckRequest)) this.#acks.flush();
    if (reconnect) this.#wait();
  }

  /** Moves the cursor. An event that does not follow it shows that something is missing: it is asked for again. */
  #step(event: ClientBoundEvent): Step {
    if (hasSeq(event)) return this.#stepLog(event.seq);
    if (event.type === "rewind") {
      this.#cursor = undefined;
      return "reconnect";
    }
    if (event.type === "init") this.#cursor = { seq: event.seq, generation: event.generation };
    if (event.type === "hello" && this.#cursor) this.#cursor = { ...this.#cursor, generation: event.generation };
    if (event.type === "init" || event.type === "hello") this.#greeted();
    return "taken";
  }

  #stepLog(seq: number): Step {
    if (this.#cursor === undefined || seq <= this.#cursor.seq) return "ignored";
    if (seq > this.#cursor.seq + 1) return "reconnect";
    this.#cursor = { ...this.#cursor, seq };
    return "taken";
  }

  #greeted(): void {
    this.#report({ kind: "live" });
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#beat(), HEARTBEAT_MS);
  }

  #beat(): void {
    if (!this.#heard) {
      this.#wait();
      return;
    }
    this.#attempt = 0;
    this.#heard = false;
    this.send({ type: "ping" });
    this.#timer = setTimeout(() => this.#beat(), HEARTBEAT_MS);
  }

  #refused(error: unknown): void {
    const status = error instanceof ApiError ? error.status : 0;
    if (status === 401) this.#report({ kind: "closed", reason: "unauthorized" });
    else if (status === 403 || status === 404) this.#report({ kind: "closed", reason: "no_access" });
    else this.#wait();
  }

  #wait(): void {
    this.#drop();
    const longest = Math.min(FIRST_RETRY_MS * 2 ** this.#attempt, LAST_RETRY_MS);
    const delay = longest * (0.5 + (this.#options.random ?? Math.random)() / 2);
    this.#attempt += 1;
    this.#timer = setTimeout(() => void this.#connect(), delay);
    this.#report({ kind: "waiting", attempt: this.#attempt, retryAt: Date.now() + delay });
  }

  #drop(): void {
    this.#epoch += 1;
    clearTimeout(this.#timer);
    this.#acks.reset();
    const socket = this.#socket;
    this.#socket = undefined;
    socket?.close();
  }

  #report(connection: Connection): void {
    this.#connection = connection;
    this.#options.onConnection(connection);
  }
}

function isAckRequest(event: ClientBoundEvent): boolean {
  return event.type === "error" && event.code === "ack_required";
}
