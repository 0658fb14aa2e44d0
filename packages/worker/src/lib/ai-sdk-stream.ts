import { DONE_FRAME, encodeFrame, KEEP_ALIVE, SSE_HEADERS } from "@agent-ops/ai-sdk/sse";
import { phaseOf, startTranslation, type Translation, translate } from "@agent-ops/ai-sdk/translator";
import type { UIChunk } from "@agent-ops/shared/ai-sdk";
import type { LogEvent } from "@agent-ops/shared/events";
import { LIMITS, TIMES } from "@agent-ops/shared/limits";
import type { Timers } from "./pacer.ts";

/** Where a late reader finds what it missed; empty at the end of the log. */
export type ReplaySource = { readAfter(seq: number): readonly { event: LogEvent }[] };

/** A turn as its readers ask for it; `startSeq` is undefined while the turn waits in the queue. */
export type TurnRequest = { turnId: string; startSeq: number | undefined };

/** Replay stops ahead of a slow reader once this much is queued for it. */
const REPLAY_BYTES = 64 * 1024;
const QUEUE_BYTES = 16 * LIMITS.unreadBytes;
const encoder = new TextEncoder();

type Reader = {
  turnId: string;
  controller: ReadableStreamDefaultController<Uint8Array>;
  translation: Translation;
  /** `undefined` while its turn has not begun. */
  cursor: number | undefined;
  phase: "replay" | "live" | "closed";
  /** What was still unread of the replay when the reader went live: it does not count against it. */
  allowance: number;
  lastWrite: number;
};

/** The active turn, translated and encoded once for all readers that have caught up with it. */
type Feed = { turnId: string; translation: Translation; frames: string; readers: Set<Reader> };

/** All SSE readers of one session. */
export class ChatStreams {
  #source: ReplaySource;
  #timers: Timers;
  #feed: Feed | undefined;
  #readers = new Set<Reader>();
  #keepAliveTimer: (() => void) | undefined;

  constructor(source: ReplaySource, timers: Timers) {
    this.#source = source;
    this.#timers = timers;
  }

  get size(): number {
    return this.#readers.size;
  }

  /** A new reader of a turn, from its start. */
  open(turn: TurnRequest): Response {
    let reader: Reader | undefined;
    const body = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          reader = this.#add(turn, controller);
        },
        pull: () => {
          if (reader) this.#replay(reader);
        },
        cancel: () => {
          if (reader) this.#remove(reader);
        },
      },
      { highWaterMark: QUEUE_BYTES, size: (chunk) => chunk?.byteLength ?? 0 },
    );
    return new Response(body, { headers: SSE_HEADERS });
  }

  /** A turn begins with the event after `startSeq`; readers that waited for it go on. */
  begin(turnId: string, startSeq: number): void {
    this.#feed = {
      turnId,
      translation: startTranslation(turnId, { approvals: "question" }),
      frames: "",
      readers: new Set(),
    };
    for (const reader of this.#readers) {
      if (reader.turnId !== turnId || reader.cursor !== undefined) continue;
      reader.cursor = startSeq;
      this.#replay(reader);
    }
  }

  /** A new event of the log; it reaches readers at the next `flush`. */
  push(event: LogEvent): void {
    const feed = this.#feed;
    if (!feed) return;
    const { state, chunks } = translate(feed.translation, event);
    feed.translation = state;
    feed.frames += encodeChunks(chunks, state);
  }

  /** Writes what was gathered; the number of writes it took. */
  flush(): number {
    const feed = this.#feed;
    if (!feed || feed.frames === "") return 0;
    const bytes = encoder.encode(feed.frames);
    feed.frames = "";
    const readers = [...feed.readers];
    for (const reader of readers) this.#writeLive(reader, bytes);
    if (phaseOf(feed.translation) === "ended") this.#endFeed(feed);
    return readers.length;
  }

  /** A queued turn that will never run: its readers are told why. */
  fail(turnId: string, message: string): void {
    for (const reader of this.#readers) {
      if (reader.turnId === turnId && reader.phase !== "closed") this.#close(reader, message);
    }
  }

  failAll(message: string): void {
    for (const reader of this.#readers) this.#close(reader, message);
  }

  #add(turn: TurnRequest, controller: ReadableStreamDefaultController<Uint8Array>): Reader {
    const reader: Reader = {
      turnId: turn.turnId,
      controller,
      translation: startTranslation(turn.turnId, { approvals: "question" }),
      cursor: turn.startSeq,
      phase: "replay",
      allowance: 0,
      lastWrite: this.#timers.now(),
    };
    this.#readers.add(reader);
    this.#armKeepAlive();
    return reader;
  }

  /** Feeds a reader from the log until it has enough, has caught up, or the turn is over. */
  #replay(reader: Reader): void {
    while (reader.phase === "replay" && reader.cursor !== undefined && unread(reader) < REPLAY_BYTES) {
      const entries = this.#source.readAfter(reader.cursor);
      const last = entries.at(-1);
      if (!last) return this.#goLive(reader);
      reader.cursor = last.event.seq;
      this.#writeReplay(reader, entries);
    }
  }

  #writeReplay(reader: Reader, entries: readonly { event: LogEvent }[]): void {
    let frames = "";
    for (const { event } of entries) {
      const { state, chunks } = translate(reader.translation, event);
      reader.translation = state;
      frames += encodeChunks(chunks.filter(isLogged), state);
      if (phaseOf(state) === "ended") break;
    }
    if (frames !== "") this.#write(reader, encoder.encode(frames));
    if (phaseOf(reader.translation) === "ended") this.#end(reader);
  }

  /** The reader has seen everything up to now, so what is gathered goes to the others alone. */
  #goLive(reader: Reader): void {
    this.flush();
    if (this.#feed?.turnId !== reader.turnId) {
      return this.#close(reader, "This turn is no longer in the log.");
    }
    reader.phase = "live";
    reader.allowance = unread(reader);
    this.#feed.readers.add(reader);
  }

  #writeLive(reader: Reader, bytes: Uint8Array): void {
    if (unread(reader) + bytes.byteLength > LIMITS.unreadBytes + reader.allowance) {
      return this.#close(reader, "This connection reads too slowly. Reload to see the rest.");
    }
    this.#write(reader, bytes);
  }

  #write(reader: Reader, bytes: Uint8Array): void {
    reader.controller.enqueue(bytes);
    reader.lastWrite = this.#timers.now();
  }

  #endFeed(feed: Feed): void {
    for (const reader of feed.readers) this.#end(reader);
    this.#feed = undefined;
  }

  #close(reader: Reader, message: string): void {
    this.#write(reader, encoder.encode(encodeFrame({ type: "error", errorText: message }) + DONE_FRAME));
    this.#end(reader);
  }

  #end(reader: Reader): void {
    this.#remove(reader);
    reader.controller.close();
  }

  #remove(reader: Reader): void {
    reader.phase = "closed";
    this.#readers.delete(reader);
    this.#feed?.readers.delete(reader);
  }

  #armKeepAlive(): void {
    if (this.#keepAliveTimer || this.#readers.size === 0) return;
    const oldest = Math.min(...[...this.#readers].map((reader) => reader.lastWrite));
    const wait = Math.max(oldest + TIMES.keepAliveMs - this.#timers.now(), 0);
    this.#keepAliveTimer = this.#timers.after(wait, () => this.#keepAlive());
  }

  #keepAlive(): void {
    this.#keepAliveTimer = undefined;
    const due = this.#timers.now() - TIMES.keepAliveMs;
    const comment = encoder.encode(KEEP_ALIVE);
    for (const reader of this.#readers) if (reader.lastWrite <= due) this.#write(reader, comment);
    this.#armKeepAlive();
  }
}

function unread(reader: Reader): number {
  return QUEUE_BYTES - (reader.controller.desiredSize ?? 0);
}

function encodeChunks(chunks: readonly UIChunk[], state: Translation): string {
  const frames = chunks.map((chunk) => encodeFrame(chunk)).join("");
  return phaseOf(state) === "ended" && chunks.length > 0 ? frames + DONE_FRAME : frames;
}

function isLogged(chunk: UIChunk): boolean {
  return !("transient" in chunk);
}
