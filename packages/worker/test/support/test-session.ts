import { initEvent, type LogEvent, type UnknownEvent } from "@agent-ops/shared/events";
import type { PromptInput } from "@agent-ops/shared/frames";
import { TIMES } from "@agent-ops/shared/limits";
import type { Message } from "@agent-ops/shared/message-parts";
import type { Role } from "@agent-ops/shared/sessions";
import { chat, resume } from "../../src/durable-objects/session/chat-desk.ts";
import type { EventLog } from "../../src/durable-objects/session/event-log.ts";
import { type Cursor, greet } from "../../src/durable-objects/session/hydration.ts";
import { SessionRoom } from "../../src/durable-objects/session/session-room.ts";
import { type SessionRecord, SessionStore } from "../../src/durable-objects/session/session-store.ts";
import type { ChatCommand, ChatOptions } from "../../src/lib/chat-command.ts";
import { Load } from "../../src/lib/load.ts";
import { ManualClock } from "../manual-clock.ts";
import { NodeStorage } from "../node-storage.ts";
import { FakeReaderSocket, FakeRunnerSocket } from "./fake-sockets.ts";

export const OWNER = "ann";
const NEVER = Number.POSITIVE_INFINITY;
export const OPTIONS: ChatOptions = { approvals: "question" };
const ENDLESS = 10_000;

/** A session's room in a world that the test drives: storage, time, alarm and sockets. */
export class TestSession {
  readonly clock = new ManualClock();
  storage: NodeStorage;
  room: SessionRoom;
  alarmAt: number | undefined;
  /** The leases for which a runner was asked. */
  readonly leases: number[] = [];
  /** How often children were to be told something. */
  childrenTold = 0;
  readonly crashes: unknown[] = [];
  #ids = 0;
  #prompts = 0;

  constructor(storage = new NodeStorage(), more: Partial<SessionRecord> = {}) {
    this.storage = storage;
    const record = { id: "ses_1", agent: "demo", title: "New session", status: "ready" as const, createdAt: 1 };
    SessionStore.create(storage, { ...record, ...more }, OWNER);
    this.room = this.#enter();
  }

  get epoch(): number {
    return this.leases.at(-1) ?? 0;
  }

  get log(): EventLog {
    return this.room.journal.log;
  }

  /** The process dies; all that lives on is on the disk, and the alarm. */
  crash(): void {
    this.clock.forgetTimers();
    this.storage = this.storage.reopen();
    this.room = this.#enter();
  }

  /** Lets time pass; the alarm goes off when it was set for. */
  pass(ms: number): void {
    const until = this.clock.now() + ms;
    for (let round = 0; this.alarmAt !== undefined && this.alarmAt <= until; round++) {
      if (round > ENDLESS) throw new Error("The alarm is set for the past again and again.");
      this.clock.advance(Math.max(this.alarmAt - this.clock.now(), 0));
      this.alarmAt = undefined;
      this.alarm();
    }
    this.clock.advance(until - this.clock.now());
  }

  /** The alarm goes off, whatever the time. */
  alarm(): void {
    this.room.turns.clock.onAlarm();
  }

  /** The answer to a chat request. */
  chat(prompt: PromptInput, options: Partial<ChatOptions> = {}, user = OWNER): Response {
    return this.command({ kind: "prompt", prompt, edits: false, options: { ...OPTIONS, ...options } }, user);
  }

  command(command: ChatCommand, user = OWNER): Response {
    return chat(this.room, { user, expiresAt: NEVER }, command);
  }

  /** The answer to a resume of the active turn, or of the one that is named. */
  resume(chatId = "chat", user = OWNER, waitSeconds = 0): Promise<Response | undefined> {
    return resume(this.room, { user, expiresAt: NEVER }, { chatId, waitSeconds, options: OPTIONS });
  }

  join(user: string, role: Role): void {
    this.room.store.saveMember(user, role);
  }

  /** The visible messages, as a new reader gets them. */
  get messages(): Message[] {
    const reader = this.read();
    this.room.journal.readers.remove(reader);
    return initEvent.parse(reader.received[0]).messages;
  }

  prompt(text = "hello", id = `prompt-${++this.#prompts}`): string {
    return this.room.prompt(OWNER, { id, text }).turnId;
  }

  connectRunner(epoch = this.epoch): TestRunner {
    return new TestRunner(this, epoch);
  }

  /** A turn that runs, and its runner. */
  startTurn(): { turnId: string; runner: TestRunner } {
    const turnId = this.prompt();
    const runner = this.connectRunner();
    runner.send({ type: "message.create", turnId });
    return { turnId, runner };
  }

  /** A V2 reader, as its socket. */
  read(cursor: Partial<Cursor> = {}, user = OWNER): FakeReaderSocket {
    const socket = new FakeReaderSocket();
    const { since, generation, chunks } = cursor;
    greet(this.room, { socket, user, people: [] }, { since, generation, chunks });
    return socket;
  }

  #enter(): SessionRoom {
    return new SessionRoom({
      storage: this.storage,
      clock: this.clock,
      times: TIMES,
      newId: () => `turn-${++this.#ids}`,
      setAlarm: (at) => {
        this.alarmAt = at;
      },
      requestRunner: (epoch) => this.leases.push(epoch),
      tellChildren: () => {
        this.childrenTold += 1;
      },
      changed: () => undefined,
      actsPerSecond: NEVER,
      widgetActsPerMinute: NEVER,
      dismissExpired: () => NEVER,
      load: new Load(),
      rememberReader: (socket, behind) => socket.serializeAttachment({ behind }),
      crash: (error) => this.crashes.push(error),
    });
  }
}

/** A runner that numbers its events and sends them at once, in good faith or not. */
export class TestRunner {
  readonly socket = new FakeRunnerSocket();
  #session: TestSession;
  #epoch: number;
  #seq: number;

  constructor(session: TestSession, epoch: number) {
    this.#session = session;
    this.#epoch = epoch;
    session.room.runner.connected(this.socket, epoch);
    this.#seq = this.socket.acknowledged;
  }

  /** One frame with the numbers that follow. */
  send(...events: UnknownEvent[]): void {
    this.frame(this.#seq + 1, events);
    this.#seq += events.length;
  }

  frame(seq: number, events: UnknownEvent[], epoch = this.#epoch): void {
    this.raw({ epoch, seq, events });
  }

  raw(value: unknown): void {
    this.#session.room.runner.frame(this.socket, value);
  }

  ping(): void {
    this.raw({ type: "ping" });
  }

  disconnect(): void {
    this.socket.close(1006, "");
    this.#session.room.runner.gone(this.socket, 1006);
  }
}

export function readLog(log: Pick<EventLog, "readAfter">, since = 0): LogEvent[] {
  const events: LogEvent[] = [];
  for (let page = log.readAfter(since); page.length > 0; page = log.readAfter(events.at(-1)?.seq ?? 0)) {
    events.push(...page.map(({ event }) => event));
  }
  return events;
}

export function text(turnId: string, delta: string): UnknownEvent {
  return { type: "message.part.text-delta", turnId, delta };
}

export function finalize(turnId: string, reason = "end_turn"): UnknownEvent {
  return { type: "message.finalize", turnId, reason };
}

export function numbered(turnId: string, count: number, from = 0): UnknownEvent[] {
  return Array.from({ length: count }, (_, index) => text(turnId, `t${from + index} `));
}
