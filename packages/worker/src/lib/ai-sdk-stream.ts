import { KEEP_ALIVE } from "@agent-ops/ai-sdk/sse";
import { phaseOf, type Translation, translate } from "@agent-ops/ai-sdk/translator";
import type { LogEvent } from "@agent-ops/shared/events";
import { FIXED_TIMES, LIMITS } from "@agent-ops/shared/limits";
import type { Access } from "./access.ts";
import { metrics } from "./metrics.ts";
import type { Timers } from "./pacer.ts";
import type { ReplaySource } from "./stream-length.ts";
import { encodeChunks, isLogged, QUEUING, type StreamKind, type StreamOptions, StreamReader } from "./stream-reader.ts";

/** `startSeq` is undefined while the turn waits in the queue. `gone` tells when the client has left. */
export type OpenStream = StreamOptions & { startSeq: number | undefined; gone?: AbortSignal | undefined };

/** Replay stops ahead of a slow reader once this much is queued for it. */
const REPLAY_BYTES = 64 * 1024;
const encoder = new TextEncoder();

/** A turn translated and encoded once for all readers of one kind that have caught up with it. */
type Feed = { kind: StreamKind; translation: Translation; frames: string; readers: Set<StreamReader> };

/** All AI SDK readers of one session. */
export class ChatStreams {
  #source: ReplaySource;
  #timers: Timers;
  #feeds = new Map<string, Feed>();
  #readers = new Set<StreamReader>();
  #keepAliveTimer: (() => void) | undefined;
  #count: (readers: number) => void;

  /** `count` hears of how many readers there are. */
  constructor(source: ReplaySource, timers: Timers, count: (readers: number) => void = () => undefined) {
    this.#source = source;
    this.#timers = timers;
    this.#count = count;
    count(0);
  }

  get size(): number {
    return this.#readers.size;
  }

  /** What the slowest of those who still read from the log has got. */
  get slowestSeq(): number {
    const replaying = [...this.#readers].filter(({ phase }) => phase === "replay");
    return Math.min(...replaying.map(({ cursor = Number.POSITIVE_INFINITY }) => cursor));
  }

  open(options: OpenStream): ReadableStream<Uint8Array> {
    let reader: StreamReader | undefined;
    const leave = () => reader && this.#abandon(reader);
    // workerd does not cancel the body of a response whose client is gone (its issue 6832): the request's signal tells.
    options.gone?.addEventListener("abort", leave);
    const stream = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          reader = new StreamReader(options, controller, this.#timers.now());
          reader.cursor = options.startSeq;
          this.#readers.add(reader);
          this.#count(this.#readers.size);
          this.#armKeepAlive();
        },
        pull: () => (reader ? this.#onPull(reader) : undefined),
        cancel: () => void leave(),
      },
      QUEUING,
    );
    // Whoever left while they waited for the turn is not told of again.
    if (options.gone?.aborted) leave();
    return stream;
  }

  /** The client has left. */
  #abandon(reader: StreamReader): void {
    if (reader.phase === "closed") return;
    reader.phase = "closed";
    this.#remove(reader);
    metrics.count("adapter.stream.aborts.client");
    reader.onEnd("client");
  }

  /** A turn begins with the event after `startSeq`; readers that waited for it go on. */
  begin(turnId: string, startSeq: number): void {
    for (const reader of this.#readers) {
      if (reader.turnId === turnId && reader.cursor === undefined) reader.cursor = startSeq;
    }
  }

  /** A new event of the log; it reaches readers at the next `flush`, the end of a stream at once. */
  push(event: LogEvent): void {
    for (const feed of this.#feeds.values()) {
      const { state, chunks } = translate(feed.translation, event);
      feed.translation = state;
      feed.frames += encodeChunks(feed.kind.transient ? chunks : chunks.filter(isLogged), feed.kind);
      if (chunks.length > 0 && phaseOf(state) !== "open") this.#flushFeed(feed);
    }
  }

  /** Writes what was gathered; the number of writes it took. */
  flush(): number {
    let writes = 0;
    for (const feed of this.#feeds.values()) writes += this.#flushFeed(feed);
    for (const reader of this.#readers) if (reader.phase === "replay") this.#replay(reader);
    return writes;
  }

  /** Tells those who wait for a turn how many are before it, where they do not know. */
  tellQueue(turnId: string, position: number): void {
    for (const reader of this.#readers) {
      if (reader.turnId !== turnId || reader.cursor !== undefined || !reader.kind.transient) continue;
      if (reader.position === position) continue;
      reader.position = position;
      reader.writeChunk({ type: "data-queue", data: { position }, transient: true }, this.#timers.now());
    }
  }

  /** Ends the streams of a turn that will never run. */
  fail(turnId: string, message: string): void {
    for (const reader of this.#readers) if (reader.turnId === turnId) this.#closeWith(reader, message);
  }

  /** ACL9: ends the streams of those who may no longer read. */
  dismiss(isOut: (holder: Access) => boolean, message: string): void {
    for (const reader of this.#readers) if (reader.holder && isOut(reader.holder)) this.#closeWith(reader, message);
  }

  /** When the next right to a stream runs out. */
  get earliestExpiry(): number {
    return Math.min(...[...this.#readers].map(({ holder }) => holder?.expiresAt ?? Number.POSITIVE_INFINITY));
  }

  failAll(message: string): void {
    for (const reader of this.#readers) this.#closeWith(reader, message);
  }

  #flushFeed(feed: Feed): number {
    if (feed.frames === "") return 0;
    const bytes = encoder.encode(feed.frames);
    feed.frames = "";
    const readers = [...feed.readers];
    let total = 0;
    for (const reader of readers) total += this.#writeLive(reader, bytes);
    if (total > LIMITS.sessionUnreadBytes) this.#dropSlowest(readers);
    if (phaseOf(feed.translation) !== "open") for (const reader of feed.readers) this.#close(reader);
    return readers.length;
  }

  /** Feeds a reader from the log until it has enough, has caught up, or its stream is over. */
  #replay(reader: StreamReader): void {
    while (reader.phase === "replay" && reader.cursor !== undefined && reader.unread < REPLAY_BYTES) {
      const entries = this.#source.readAfter(reader.cursor);
      if (entries.length > 0) reader.replay(entries, this.#timers.now());
      // Queueing bytes makes the stream pull, which may have gone on from here already.
      if (reader.phase !== "replay") return;
      if (phaseOf(reader.translation) === "ended") return this.#end(reader);
      if (entries.length === 0) return this.#caughtUp(reader);
    }
  }

  /**
   * The runtime asks for more after every write, unless it still waits for the last answer. A reader that has caught
   * up gets what happens without being asked, so it leaves that answer open.
   */
  #onPull(reader: StreamReader): Promise<void> | undefined {
    this.#replay(reader);
    return reader.phase === "live" ? new Promise(() => undefined) : undefined;
  }

  #end(reader: StreamReader): void {
    if (reader.skipping) return this.#closeWith(reader, "This turn has ended, and its stream has no such place.");
    this.#close(reader);
  }

  /** A reader that still skips stays with the log: what it skips may be sent again after a restart. */
  #caughtUp(reader: StreamReader): void {
    if (reader.skipping) return;
    if (reader.complete) return this.#close(reader);
    const feed = this.#feedFor(reader);
    this.#flushFeed(feed);
    reader.phase = "live";
    reader.allowance = reader.unread;
    feed.readers.add(reader);
    reader.onLive();
  }

  /** Whoever has caught up knows the translation, so a feed needs no replay of its own. */
  #feedFor({ turnId, kind, translation }: StreamReader): Feed {
    const key = [turnId, kind.approvals, kind.named, kind.transient, ...(kind.answered ?? [])].join();
    const feed = this.#feeds.get(key) ?? { kind, translation, frames: "", readers: new Set() };
    this.#feeds.set(key, feed);
    return feed;
  }

  /** What the reader has not taken, once the bytes are queued for it. */
  #writeLive(reader: StreamReader, bytes: Uint8Array): number {
    // Whoever has read everything cannot be too slow, however much comes at once.
    if (reader.unread > 0 && reader.unread + bytes.byteLength > LIMITS.unreadBytes + reader.allowance) {
      this.#closeWith(reader, "This connection reads too slowly. Reload to see the rest.");
      return 0;
    }
    reader.write(bytes, this.#timers.now());
    return reader.unread;
  }

  #dropSlowest(readers: StreamReader[]): void {
    const [slowest] = readers.toSorted((a, b) => b.unread - a.unread);
    if (slowest && slowest.phase !== "closed") {
      this.#closeWith(slowest, "The readers of this session are too slow together. Reload to see the rest.");
    }
  }

  #closeWith(reader: StreamReader, message: string): void {
    metrics.count("adapter.request.errors");
    reader.phase = "closed"; // before the bytes are queued: that makes the stream pull
    reader.writeChunk({ type: "error", errorText: message }, this.#timers.now());
    this.#close(reader);
  }

  #close(reader: StreamReader): void {
    this.#remove(reader);
    reader.close(this.#timers.now());
    reader.onEnd("session");
  }

  #remove(reader: StreamReader): void {
    this.#readers.delete(reader);
    this.#count(this.#readers.size);
    for (const [key, feed] of this.#feeds) {
      if (feed.readers.delete(reader) && feed.readers.size === 0) this.#feeds.delete(key);
    }
  }

  #armKeepAlive(): void {
    if (this.#keepAliveTimer || this.#readers.size === 0) return;
    let oldest = Number.POSITIVE_INFINITY;
    for (const reader of this.#readers) oldest = Math.min(oldest, reader.lastWrite);
    const wait = Math.max(oldest + FIXED_TIMES.keepAliveMs - this.#timers.now(), 0);
    this.#keepAliveTimer = this.#timers.after(wait, () => this.#keepAlive());
  }

  #keepAlive(): void {
    this.#keepAliveTimer = undefined;
    const now = this.#timers.now();
    const comment = encoder.encode(KEEP_ALIVE);
    for (const reader of this.#readers)
      if (reader.lastWrite + FIXED_TIMES.keepAliveMs <= now) reader.write(comment, now);
    this.#armKeepAlive();
  }
}
