import type { RunnerEvent } from "@agent-ops/shared/events";
import { CLOSE, type RunnerCommand, runnerCommand } from "@agent-ops/shared/frames";
import type { Clock } from "./clock.ts";
import type { Log } from "./log.ts";
import type { Outbox } from "./outbox.ts";
import { Pacer } from "./pacer.ts";
import { type PackedEvent, packEvent } from "./packed-event.ts";
import { ReconnectingSocket } from "./socket.ts";

type AckCommand = Extract<RunnerCommand, { type: "ack" }>;

export interface SessionLinkOptions {
  url: string;
  token: string;
  outbox: Outbox;
  clock: Clock;
  log: Log;
  /** What the session wants, apart from what concerns the delivery itself. */
  onCommand(command: Exclude<RunnerCommand, AckCommand>): void;
  /** The session has lost some of what it had acknowledged. */
  onSetBack(): void;
  /** The session will not take this connection any more. */
  onLost(why: "gone" | "lease"): void;
}

/** Delivers the outbox of one session under one lease, however often the connection breaks (RUN2 to RUN4). */
export class SessionLink {
  #options: SessionLinkOptions;
  #socket: ReconnectingSocket;
  #pacer: Pacer;
  /** The number of the last event that went out on this connection. */
  #sent = 0;
  /** The session says first what it has; before that nothing is sent. */
  #heard = { assign: false, ack: false };
  #lastBeat = { acknowledged: -1, sent: 0 };

  constructor(options: SessionLinkOptions) {
    this.#options = options;
    const { url, token, clock, log } = options;
    this.#pacer = new Pacer(clock, (batch) => this.#post(batch));
    this.#socket = new ReconnectingSocket({
      url,
      token,
      clock,
      log,
      onOpen: () => this.#opened(),
      onItems: (items) => this.#received(items),
      onClose: (code) => this.#closed(code),
      isWell: () => this.#isWell(),
    });
  }

  emit(event: RunnerEvent): void {
    for (const packed of packEvent(event)) this.#pacer.push(packed);
  }

  wake(): void {
    this.#socket.wake();
  }

  async close(ms: number, code?: number): Promise<void> {
    this.#pacer.stop();
    await this.#socket.close(ms, code);
  }

  #post(batch: readonly PackedEvent[]): void {
    this.#options.outbox.append(batch);
    this.#deliver();
  }

  #deliver(): void {
    if (!this.#heard.assign || !this.#heard.ack) return;
    for (const frame of this.#options.outbox.framesAfter(this.#sent)) {
      this.#socket.send(frame.text);
      this.#sent = frame.last;
    }
  }

  #opened(): void {
    this.#options.log.info("session.connected", { epoch: this.#options.outbox.epoch });
    this.#sent = 0;
    this.#heard = { assign: false, ack: false };
    this.#lastBeat = { acknowledged: -1, sent: 0 };
  }

  /** What is stored counts first: it decides which numbers are free for what the other commands cause. */
  #received(items: unknown[]): void {
    const commands = items.flatMap((item) => this.#read(item));
    for (const command of commands) if (command.type === "ack") this.#acknowledged(command);
    for (const command of commands) if (command.type !== "ack") this.#take(command);
    this.#deliver();
  }

  #read(item: unknown): RunnerCommand[] {
    const parsed = runnerCommand.safeParse(item);
    if (parsed.success) return [parsed.data];
    this.#options.log.error("session.unreadable", { issues: parsed.error.issues.length });
    return [];
  }

  #acknowledged(ack: AckCommand): void {
    const { outbox, onSetBack } = this.#options;
    const isSetBack = ack.seq < outbox.acknowledged;
    this.#heard.ack = true;
    if (isSetBack) outbox.setBack(ack.seq);
    else outbox.acknowledge(ack.seq);
    this.#sent = isSetBack || ack.resend ? ack.seq : Math.max(this.#sent, ack.seq);
    if (isSetBack) onSetBack();
  }

  #take(command: Exclude<RunnerCommand, AckCommand>): void {
    if (command.type === "assign") this.#heard.assign = true;
    this.#options.onCommand(command);
  }

  #closed(code: number): "retry" | "stop" {
    this.#heard = { assign: false, ack: false };
    if (code !== CLOSE.gone && code !== CLOSE.taken) return "retry";
    this.#options.onLost(code === CLOSE.gone ? "gone" : "lease");
    return "stop";
  }

  /** A session that takes events and acknowledges none of them between two heartbeats has lost them. */
  #isWell(): boolean {
    const { acknowledged } = this.#options.outbox;
    const before = this.#lastBeat;
    this.#lastBeat = { acknowledged, sent: this.#sent };
    const stuck = acknowledged === before.acknowledged && before.sent > acknowledged;
    return this.#heard.assign && this.#heard.ack && !stuck;
  }
}
