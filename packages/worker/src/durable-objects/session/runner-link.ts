import type { UnknownEvent } from "@agent-ops/shared/events";
import { type RunnerCommand, type RunnerFrame, runnerFrame } from "@agent-ops/shared/frames";
import { metrics } from "../../lib/metrics.ts";
import type { Lease } from "./session-store.ts";

export interface RunnerSocket {
  send(text: string): void;
  close(code: number, reason: string): void;
}

/** Close codes a runner understands: the session is gone, or the lease is no longer its own. */
export const SESSION_GONE = 4404;
const LEASE_LOST = 4409;

/** The session's end of the runner's socket: the lease, the numbers received so far, and what may be sent. */
export class RunnerLink {
  #socket: RunnerSocket | undefined;
  #epoch: number;
  #received: number;
  #acknowledged = 0;
  #stored: number;

  constructor(lease: Lease) {
    this.#epoch = lease.epoch;
    this.#received = lease.seq;
    this.#stored = lease.seq;
  }

  get connected(): boolean {
    return this.#socket !== undefined;
  }

  /** What has to be stored together with the events received so far. */
  get lease(): Lease {
    return { epoch: this.#epoch, seq: this.#received };
  }

  /** A new lease: whoever held the old one can no longer write. */
  renew(): Lease {
    this.#drop(LEASE_LOST, "The session was given to another runner.");
    this.#epoch += 1;
    this.#received = 0;
    this.#acknowledged = 0;
    this.#stored = 0;
    return this.lease;
  }

  /** RUN5: takes the socket of the current epoch, and turns any other away. */
  connect(socket: RunnerSocket, epoch: number): boolean {
    if (epoch !== this.#epoch) {
      refuse(socket, `Epoch ${epoch} has ended; the lease is at ${this.#epoch}.`);
      return false;
    }
    this.#drop(1000, "The runner opened another socket.");
    this.#socket = socket;
    return true;
  }

  /** Adopts a socket that outlived the actor's memory. */
  restore(socket: RunnerSocket): void {
    this.#socket = socket;
  }

  isCurrent(socket: RunnerSocket): boolean {
    return this.#socket === socket;
  }

  disconnect(): void {
    this.#socket = undefined;
  }

  /** The pool gave up the host with this lease; says whether it is the current one. */
  lose(epoch: number): boolean {
    if (epoch !== this.#epoch) return false;
    this.#drop(LEASE_LOST, "The host was not heard of in time.");
    return true;
  }

  /** The runner is no longer needed. */
  release(): void {
    this.send({ type: "release" });
    this.#drop(1000, "The session lets its runner go.");
  }

  send(...commands: RunnerCommand[]): boolean {
    this.#socket?.send(JSON.stringify(commands));
    return this.connected;
  }

  /** LOG4: tells the runner what is stored, once. */
  acknowledge(stored: Lease): void {
    if (stored.epoch !== this.#epoch || stored.seq <= this.#acknowledged) return;
    this.#stored = stored.seq;
    this.#acknowledged = stored.seq;
    this.send({ type: "ack", seq: stored.seq });
  }

  /** RUN4: the events of a frame that are new. A frame that leaves a gap yields none and asks for what is missing. */
  receive(raw: unknown): readonly UnknownEvent[] {
    const parsed = runnerFrame.safeParse(raw);
    if (!parsed.success) {
      this.send({ type: "error", message: "That frame is not one of a runner's." });
      return [];
    }
    return this.#take(parsed.data);
  }

  /** The next event of a frame is handled now: it is stored with whatever is stored from here on. */
  took(): void {
    this.#received += 1;
  }

  #take(frame: RunnerFrame): readonly UnknownEvent[] {
    if (frame.epoch !== this.#epoch) {
      this.send({ type: "refused", message: `Epoch ${frame.epoch} has ended; the lease is at ${this.#epoch}.` });
      return [];
    }
    const known = this.#received - frame.seq + 1;
    if (known < 0) {
      this.send({ type: "ack", seq: this.#stored, resend: true });
      return [];
    }
    const fresh = frame.events.slice(known);
    metrics.count("runner.resent_events", frame.events.length - fresh.length);
    return fresh;
  }

  #drop(code: number, reason: string): void {
    const socket = this.#socket;
    this.#socket = undefined;
    socket?.close(code, reason);
  }
}

function refuse(socket: RunnerSocket, message: string): void {
  const command: RunnerCommand = { type: "refused", message };
  socket.send(JSON.stringify([command]));
  socket.close(LEASE_LOST, "lease lost");
}
