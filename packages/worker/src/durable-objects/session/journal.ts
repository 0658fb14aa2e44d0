import type { LogEvent, LogPayload } from "@agent-ops/shared/events";
import { FIXED_TIMES, LIMITS, STORE_AFTER_EVENTS } from "@agent-ops/shared/limits";
import { ChatStreams } from "../../lib/ai-sdk-stream.ts";
import { metrics } from "../../lib/metrics.ts";
import { Pacer } from "../../lib/pacer.ts";
import { EventLog, type LogEntry } from "./event-log.ts";
import type { RoomPorts } from "./room-ports.ts";
import type { RunnerLink } from "./runner-link.ts";
import type { SessionStore } from "./session-store.ts";
import { SocketReaders } from "./socket-readers.ts";

/** The log together with everyone who reads it: decides what is stored when, and shown when. */
export class Journal {
  readonly log: EventLog;
  readonly readers: SocketReaders;
  readonly streams: ChatStreams;
  readonly generation: number;
  #ports: RoomPorts;
  #store: SessionStore;
  #runner: RunnerLink;
  #pacer: Pacer;
  #generationStored = false;
  #storedAtStart: number;
  #slot = 0;
  #cancelStore: (() => void) | undefined;

  constructor(ports: RoomPorts, store: SessionStore, runner: RunnerLink) {
    this.#ports = ports;
    this.#store = store;
    this.#runner = runner;
    this.log = new EventLog(ports.storage);
    const { id } = store.record();
    const count = (kind: string) => (readers: number) => metrics.hold("subscribers", `${id} ${kind}`, readers);
    this.readers = new SocketReaders(this.log, ports.rememberReader, count("sockets"));
    this.streams = new ChatStreams(this.log, ports.clock, count("streams"));
    this.generation = store.generation() + 1;
    this.#storedAtStart = this.log.storedSeq;
    this.#pacer = new Pacer(ports.clock, ports.load.writes, () => this.readers.flush() + this.streams.flush());
  }

  /** LOG2: shown at the next `settle`, stored soon after it. */
  appendLive(payload: LogPayload): LogEvent {
    const entry = this.log.append(payload, this.#ports.clock.now());
    if (!this.#generationStored) this.#commit();
    this.#publish(entry);
    return entry.event;
  }

  /** LOG3: stored first, together with `write`, then shown. `write` sees the events with their numbers. */
  appendStored(payloads: readonly LogPayload[], write: (events: LogEvent[]) => void = () => undefined): void {
    const entries = payloads.map((payload) => this.log.append(payload, this.#ports.clock.now()));
    this.#commit(() => {
      for (const { event } of entries) if (isAudit(event)) this.#store.audit.add(event.entry);
      write(entries.map(({ event }) => event));
    });
    for (const entry of entries) this.#publish(entry);
    this.#pacer.flush();
  }

  /** The end of a batch from the runner: readers get it now, the store soon or, when it is large, now too. */
  settle(): void {
    if (this.log.waiting >= STORE_AFTER_EVENTS) this.#commit();
    else this.#commitLater();
    this.#pacer.nudge();
  }

  /**
   * LOG9: between turns, keeps what readers who come back may want, and all that a reader here still has to get.
   * `latest` is where the latest turn begins: a client that lost it at its end can still take it up.
   */
  compact(latest: number): void {
    const needed = Math.min(this.readers.slowestSeq, this.streams.slowestSeq) + 1;
    const keep = Math.min(this.log.lastSeq - LIMITS.logEvents, needed, latest);
    if (keep > this.log.firstSeq) this.log.dropBefore(keep);
  }

  /** Nothing is stored or shown any more; AI SDK readers are told why. */
  close(message: string): void {
    this.#cancelStore?.();
    this.streams.failAll(message);
    this.readers.removeAll();
  }

  /** LOG5: up to where what a generation showed was stored; undefined where nobody knows any more. */
  reliableSeq(generation = this.generation): number | undefined {
    if (generation >= this.generation) return this.log.lastSeq;
    return generation === this.generation - 1 ? this.#storedAtStart : this.#store.reliableSeq(generation);
  }

  #commit(write?: () => void): void {
    this.#cancelStore?.();
    this.#cancelStore = undefined;
    const { lease } = this.#runner;
    const { storedSeq, waiting } = this.log;
    const also = () => {
      if (!this.#generationStored) this.#store.saveGeneration(this.generation, storedSeq);
      if (waiting === 0) this.#store.saveLease(lease);
      write?.();
    };
    try {
      this.log.store(lease, this.#generationStored && waiting > 0 && !write ? undefined : also);
    } catch (error) {
      this.#ports.crash(error);
      throw error;
    }
    this.#generationStored = true;
    this.#runner.acknowledge(lease);
  }

  #commitLater(): void {
    if (this.#cancelStore) return;
    const { times, load, clock } = this.#ports;
    const now = clock.now();
    // One that was not used, since a full batch came first, is still good, unless the clock was set back.
    const latest = now + Math.max(times.storeAfterMs, FIXED_TIMES.storeAtLastMs);
    if (this.#slot <= now || this.#slot > latest) this.#slot = load.slots.next(now, times.storeAfterMs);
    this.#cancelStore = clock.after(this.#slot - now, () => this.#commit());
  }

  #publish(entry: LogEntry): void {
    this.readers.push(entry);
    this.streams.push(entry.event);
  }
}

type AuditEvent = Extract<LogEvent, { type: "audit_log"; entry: object }>;

function isAudit(event: LogEvent): event is AuditEvent {
  return event.type === "audit_log";
}
