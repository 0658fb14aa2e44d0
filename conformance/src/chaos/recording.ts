import { closeSync, openSync, readSync, writeSync } from "node:fs";

/** What a client did and got, as it happened; `t` is in milliseconds, `c` tells its connections apart. */
export type RecordLine = {
  t: number;
} /** The V2 socket: a connection is tried from a cursor, brings frames, ends. */ & (
  | { k: "open"; c: number; since: number; generation: number }
  | { k: "frame"; c: number; text: string }
  | { k: "close"; c: number }
  /** An SSE stream: asked for, answered, its bytes as Latin-1, its end. */
  | { k: "ask"; c: number; method: string; startIndex: number }
  | { k: "head"; c: number; status: number; turnId: string }
  | { k: "bytes"; c: number; text: string }
  | { k: "end"; c: number }
  /** A prompt that was sent and, once it is certain, was taken; and that its turn was to stop. */
  | { k: "sent"; tag: string }
  | { k: "taken"; tag: string }
  | { k: "stopped"; tag: string }
  /** The status that an answer to a question got. */
  | { k: "answered"; questionId: string; status: number }
  /** What an AI SDK client shows of a turn in the end. */
  | { k: "view"; turnId: string; text: string }
);

type Unstamped<Line> = Line extends unknown ? Omit<Line, "t"> : never;

/** A client's recording: a file to which each thing is appended when it happens. */
export class Recording {
  readonly path: string;
  #fd: number;

  constructor(path: string) {
    this.path = path;
    this.#fd = openSync(path, "ax", 0o600);
  }

  note(line: Unstamped<RecordLine>): void {
    writeSync(this.#fd, `${JSON.stringify({ t: Date.now(), ...line })}\n`);
  }
}

const PIECE_BYTES = 256 * 1024;

/** Reads a recording while it grows. */
export class RecordingReader {
  #fd: number;
  #rest: Buffer = Buffer.alloc(0);

  constructor(path: string) {
    this.#fd = openSync(path, "r");
  }

  /** The lines that came since the last call. */
  *lines(): Generator<RecordLine> {
    const piece = Buffer.alloc(PIECE_BYTES);
    for (let read = readSync(this.#fd, piece); read > 0; read = readSync(this.#fd, piece)) {
      const bytes = Buffer.concat([this.#rest, piece.subarray(0, read)]);
      const end = bytes.lastIndexOf("\n") + 1;
      this.#rest = bytes.subarray(end);
      for (const line of bytes.toString("utf8", 0, end).split("\n")) if (line !== "") yield JSON.parse(line);
    }
  }

  close(): void {
    closeSync(this.#fd);
  }
}
