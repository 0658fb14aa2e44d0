import type { ReaderEvent } from "@agent-ops/shared/events";
import { LIMITS } from "@agent-ops/shared/limits";
import type { EventLog, LogEntry } from "./event-log.ts";

/** The part of a WebSocket that a reader needs. */
export interface ReaderSocket {
  send(text: string): void;
  serializeAttachment(value: unknown): void;
  deserializeAttachment(): unknown;
}

/** `seq` is the last event sent; `unacknowledged` what was sent beyond the reader's last `ack`, oldest first. */
type Reader = Whose & {
  seq: number;
  unacknowledged: { seq: number; bytes: number }[];
  bytes: number;
  phase: "live" | "behind";
};

/** LOG11: `chunks` is whether an older client wants its text as `chunk` events too. */
export type Whose = { user: string; chunks?: boolean | undefined };

/** The V2 socket readers of one session: the live ones share each frame, one that lags is fed from the log. */
export class SocketReaders {
  #log: EventLog;
  #remember: (socket: ReaderSocket, behind: number | undefined) => void;
  #count: (readers: number) => void;
  #readers = new Map<ReaderSocket, Reader>();
  #gathered: LogEntry[] = [];

  /** `count` hears of how many there are. */
  constructor(
    log: EventLog,
    remember: (socket: ReaderSocket, behind: number | undefined) => void,
    count: (readers: number) => void,
  ) {
    this.#log = log;
    this.#remember = remember;
    this.#count = count;
    count(0);
  }

  get size(): number {
    return this.#readers.size;
  }

  /** The least that any reader has been sent. */
  get slowestSeq(): number {
    return Math.min(...[...this.#readers.values()].map((reader) => reader.seq));
  }

  /** From here on the socket gets every event above `since`, the ones it missed first. */
  add(socket: ReaderSocket, since: number, { user, chunks }: Whose): void {
    this.flush();
    const reader: Reader = { user, chunks, seq: since, unacknowledged: [], bytes: 0, phase: "behind" };
    this.#readers.set(socket, reader);
    this.#count(this.#readers.size);
    this.#catchUp(socket, reader);
  }

  remove(socket: ReaderSocket): void {
    if (this.#readers.delete(socket)) this.#count(this.#readers.size);
  }

  removeAll(): void {
    this.#readers.clear();
    this.#count(0);
  }

  push(entry: LogEntry): void {
    if (this.#readers.size > 0) this.#gathered.push(entry);
  }

  /** Writes what was gathered; the number of writes it took. */
  flush(): number {
    const gathered = this.#gathered;
    if (gathered.length === 0) return 0;
    this.#gathered = [];
    const live = [...this.#readers].filter(([, reader]) => reader.phase === "live");
    for (const frame of frames(gathered)) {
      for (const [socket, reader] of live) if (reader.phase === "live") this.#send(socket, reader, frame);
    }
    return live.length;
  }

  /** Sends something that is not part of the log to one socket, or to all. */
  tell(event: ReaderEvent, only?: ReaderSocket): void {
    const text = JSON.stringify([event]);
    for (const socket of only ? [only] : this.#readers.keys()) this.#write(socket, text);
  }

  /** Something for one person, on every socket they have here. */
  tellUser(user: string, event: ReaderEvent): void {
    for (const [socket, reader] of this.#readers) if (reader.user === user) this.tell(event, socket);
  }

  /** A socket that is closing refuses to be written to; it is gone, and the others go on. */
  #write(socket: ReaderSocket, text: string): void {
    try {
      socket.send(text);
    } catch {
      this.remove(socket);
    }
  }

  acknowledge(socket: ReaderSocket, seq: number): void {
    const reader = this.#readers.get(socket);
    if (!reader) return;
    while (reader.unacknowledged[0] && reader.unacknowledged[0].seq <= seq) {
      reader.bytes -= reader.unacknowledged.shift()?.bytes ?? 0;
    }
    if (reader.phase !== "behind" || reader.bytes > LIMITS.unacknowledgedBytes) return;
    this.flush();
    this.#catchUp(socket, reader);
    if (!this.#isBehind(reader)) this.#remember(socket, undefined);
  }

  #catchUp(socket: ReaderSocket, reader: Reader): void {
    reader.phase = "live";
    for (;;) {
      const entries = this.#log.readAfter(reader.seq);
      if (entries.length === 0) return;
      for (const frame of frames(entries)) {
        this.#send(socket, reader, frame);
        if (this.#isBehind(reader)) return;
      }
    }
  }

  #isBehind(reader: Reader): boolean {
    return reader.phase === "behind";
  }

  #send(socket: ReaderSocket, reader: Reader, frame: Frame): void {
    const chunks = reader.chunks ? chunksIn(frame.entries) : "";
    this.#write(socket, frame.text);
    if (chunks !== "") this.#write(socket, chunks);
    const bytes = frame.text.length + chunks.length;
    reader.seq = frame.seq;
    reader.unacknowledged.push({ seq: frame.seq, bytes });
    reader.bytes += bytes;
    if (reader.bytes <= LIMITS.unacknowledgedBytes) return;
    reader.phase = "behind";
    this.#remember(socket, reader.seq);
    const message = `More than ${LIMITS.unacknowledgedBytes} bytes are unacknowledged. Send {"type":"ack","seq":${frame.seq}} to go on.`;
    this.tell({ type: "error", code: "ack_required", message }, socket);
  }
}

type Frame = { text: string; seq: number; entries: readonly LogEntry[] };

/** A UTF-16 code unit takes at most three bytes of UTF-8. */
const FRAME_CHARS = Math.floor(LIMITS.frameBytes / 3);

/** Entries as JSON arrays, each within the limit of a frame. */
function* frames(entries: readonly LogEntry[]): Generator<Frame> {
  let part: LogEntry[] = [];
  let size = 2;
  for (const entry of entries) {
    const { length } = entry.json;
    if (part.length > 0 && size + length + 1 > FRAME_CHARS) {
      yield toFrame(part);
      part = [];
      size = 2;
    }
    part.push(entry);
    size += length + 1;
  }
  if (part.length > 0) yield toFrame(part);
}

function toFrame(entries: readonly LogEntry[]): Frame {
  return { text: `[${entries.map(({ json }) => json).join(",")}]`, seq: entries.at(-1)?.event.seq ?? 0, entries };
}

/** The text of these entries as older clients take it; empty where there is none. */
function chunksIn(entries: readonly LogEntry[]): string {
  const chunks = entries.flatMap(({ event }) =>
    event.type === "message.part.text-delta" ? [{ type: "chunk", content: event.delta, messageId: event.turnId }] : [],
  );
  return chunks.length > 0 ? JSON.stringify(chunks) : "";
}
