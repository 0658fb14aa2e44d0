/** The text of one delta: its place in the stream and when it was sent, then words. */
export function deltaText(index: number, sentAt: number, words: string): string {
  return `@${index},${Math.round(sentAt)};${words}`;
}

const AT = 0x40;
const COMMA = 0x2c;
const SEMICOLON = 0x3b;
const ZERO = 0x30;
const CHUNK_BORDER = /\r\n[0-9a-f]+\r\n/g;

/**
 * Finds deltas in the raw bytes of any transport: SSE, chunked or not, and WebSocket frames. What surrounds them is not
 * parsed, so that the reader is never what is measured.
 */
export class DeltaScanner {
  #carry: Buffer | undefined;
  #onDelta: (index: number, sentAt: number) => void;

  constructor(onDelta: (index: number, sentAt: number) => void) {
    this.#onDelta = onDelta;
  }

  push(chunk: Buffer): void {
    const bytes = this.#carry ? Buffer.concat([this.#carry, chunk]) : chunk;
    this.#carry = undefined;
    for (let start = bytes.indexOf(AT); start >= 0; start = bytes.indexOf(AT, start + 1)) {
      const end = bytes.indexOf(SEMICOLON, start);
      if (end < 0) {
        this.#carry = bytes.subarray(start);
        return;
      }
      this.#read(bytes, start + 1, end);
    }
  }

  #read(bytes: Buffer, start: number, end: number): void {
    let index = 0;
    let at = start;
    for (; at < end && bytes[at] !== COMMA; at++) {
      const digit = (bytes[at] ?? 0) - ZERO;
      if (digit < 0 || digit > 9) return this.#readSplit(bytes, start, end);
      index = index * 10 + digit;
    }
    let sentAt = 0;
    for (at++; at < end; at++) {
      const digit = (bytes[at] ?? 0) - ZERO;
      if (digit < 0 || digit > 9) return this.#readSplit(bytes, start, end);
      sentAt = sentAt * 10 + digit;
    }
    this.#onDelta(index, sentAt);
  }

  /** A border between HTTP chunks may lie inside; anything else is no delta. */
  #readSplit(bytes: Buffer, start: number, end: number): void {
    const text = bytes.toString("latin1", start, end).replace(CHUNK_BORDER, "");
    const match = /^(\d+),(\d+)$/.exec(text);
    if (match) this.#onDelta(Number(match[1]), Number(match[2]));
  }
}
