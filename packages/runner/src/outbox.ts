import { LIMITS } from "@agent-ops/shared/limits";
import { loadOutbox, type OutboxContent, type OutboxEntry, OutboxFile, toFrame } from "./outbox-file.ts";
import type { PackedEvent } from "./packed-event.ts";

/** With more than this unacknowledged, producers wait. */
const ROOM_BYTES = 8 * 1024 * 1024;
/** During a turn a file is written anew when it is larger than this and mostly made of what was acknowledged. */
const COMPACT_BYTES = 64 * 1024;
const FRAME_HEAD_BYTES = 128;

/** The events of one session that its session has not yet acknowledged, numbered and on disk (RUN3). */
export class Outbox {
  #file: OutboxFile;
  #content: OutboxContent;
  #bytes: number;
  #waiting = new Set<() => void>();
  #emptied = new Set<() => void>();
  #onWriteError: (error: unknown) => void;
  /** Whether the file lacks something that memory has, since a write failed. */
  #behind = false;

  constructor(path: string, onWriteError: (error: unknown) => void) {
    this.#file = new OutboxFile(path);
    this.#content = loadOutbox(path);
    this.#bytes = sizeOf(this.#content.entries);
    this.#onWriteError = onWriteError;
  }

  get epoch(): number {
    return this.#content.epoch;
  }

  get isEmpty(): boolean {
    return this.#content.entries.length === 0;
  }

  get acknowledged(): number {
    return this.#content.next - this.#content.entries.length - 1;
  }

  /** Takes up a lease. A new one counts from 1 and discards what the older one left; says whether that was anything. */
  begin(epoch: number): { discarded: boolean } {
    const renewed = epoch !== this.epoch;
    const discarded = renewed && !this.isEmpty;
    if (renewed) this.#replace({ epoch, next: 1, entries: [] });
    this.#tryWrite(() => this.#file.rewrite(this.#content));
    return { discarded };
  }

  /** Numbers events and puts them on disk with one write. */
  append(events: readonly PackedEvent[]): void {
    if (events.length === 0) return;
    const entries = events.map((event, index) => ({ ...event, seq: this.#content.next + index }));
    this.#content.next += entries.length;
    for (const entry of entries) this.#content.entries.push(entry);
    this.#bytes += sizeOf(entries);
    this.#tryWrite(() => {
      if (this.#behind) this.#file.rewrite(this.#content);
      else this.#file.append(toFrame(this.epoch, entries));
    });
  }

  /** Everything up to `seq` is stored by the session. */
  acknowledge(seq: number): void {
    const { entries, next, epoch } = this.#content;
    if (seq <= this.acknowledged) return;
    this.#replace({ epoch, next: Math.max(next, seq + 1), entries: entries.filter((entry) => entry.seq > seq) });
    const isAtRest = this.isEmpty && entries.at(-1)?.type === "message.finalize";
    const isStale = this.#file.size > COMPACT_BYTES && this.#file.size > 4 * this.#bytes;
    this.#tryWrite(() => {
      if (isAtRest || isStale || this.#behind) this.#file.rewrite(this.#content);
      else this.#file.append(JSON.stringify({ ack: seq }));
    });
  }

  /** BAD6: the session has forgotten what it acknowledged beyond `seq`. What is held follows on what it still has. */
  setBack(seq: number): void {
    const entries = this.#content.entries.map((entry, index) => ({ ...entry, seq: seq + 1 + index }));
    this.#replace({ epoch: this.epoch, next: seq + 1 + entries.length, entries });
    this.#tryWrite(() => this.#file.rewrite(this.#content));
  }

  /** Unacknowledged events after `seq` as frames under the size limit, each with the number of its last event. */
  *framesAfter(seq: number): Generator<{ text: string; last: number }> {
    let batch: OutboxEntry[] = [];
    let bytes = FRAME_HEAD_BYTES;
    const frame = () => ({ text: toFrame(this.epoch, batch), last: batch.at(-1)?.seq ?? seq });
    for (const entry of this.#content.entries.slice(Math.max(0, seq - this.acknowledged))) {
      if (batch.length > 0 && bytes + entry.bytes > LIMITS.frameBytes) {
        yield frame();
        batch = [];
        bytes = FRAME_HEAD_BYTES;
      }
      batch.push(entry);
      bytes += entry.bytes;
    }
    if (batch.length > 0) yield frame();
  }

  /** What is held of a turn: nothing, some of its events, or also its end. */
  holds(turnId: string): "nothing" | "events" | "end" {
    const entries = this.#content.entries.filter((entry) => entry.turnId === turnId);
    if (entries.some((entry) => entry.type === "message.finalize")) return "end";
    return entries.length > 0 ? "events" : "nothing";
  }

  /** Something to wait for when too much is unacknowledged. */
  room(signal: AbortSignal): Promise<void> | undefined {
    if (this.#bytes <= ROOM_BYTES || signal.aborted) return undefined;
    return new Promise((resolve) => {
      const wake = () => {
        this.#waiting.delete(wake);
        signal.removeEventListener("abort", wake);
        resolve();
      };
      this.#waiting.add(wake);
      signal.addEventListener("abort", wake);
    });
  }

  /** Until everything is acknowledged. */
  emptied(): Promise<void> {
    if (this.isEmpty) return Promise.resolve();
    return new Promise((resolve) => this.#emptied.add(resolve));
  }

  /** Gives up what is held: the lease is lost. The next number stays. */
  discard(): void {
    this.acknowledge(this.#content.next - 1);
  }

  close(): void {
    this.#file.close();
  }

  remove(): void {
    this.#replace({ epoch: 0, next: 1, entries: [] });
    this.#file.remove();
  }

  #replace(content: OutboxContent): void {
    this.#content = content;
    this.#bytes = sizeOf(content.entries);
    if (this.#bytes <= ROOM_BYTES) for (const wake of [...this.#waiting]) wake();
    if (!this.isEmpty) return;
    for (const wake of this.#emptied) wake();
    this.#emptied.clear();
  }

  /** A full disk does not stop what memory can still deliver: it is said, and mended by the next write that works. */
  #tryWrite(write: () => void): void {
    try {
      write();
      this.#behind = false;
    } catch (error) {
      this.#behind = true;
      this.#onWriteError(error);
    }
  }
}

function sizeOf(entries: readonly OutboxEntry[]): number {
  let bytes = 0;
  for (const entry of entries) bytes += entry.bytes;
  return bytes;
}
