import type { UIChunk } from "@agent-ops/shared/ai-sdk";

type Delta = Extract<UIChunk, { type: "text-delta" | "reasoning-delta" }>;

/** Deltas of a block are kept as one up to this length; longer ones would be slow to cut. */
const MERGED_LENGTH = 16_384;

/**
 * The chunks of a message, for readers who come at any time and read at any pace. Deltas that follow one another are
 * kept as one, so the log is as large as the message, and so is what the slowest reader has not read.
 */
export class ChunkLog {
  readonly #entries: UIChunk[];
  readonly #readers = new Set<LogReader>();
  #ended = false;

  constructor(entries: readonly UIChunk[] = []) {
    this.#entries = [...entries];
  }

  get entries(): readonly UIChunk[] {
    return this.#entries;
  }

  append(chunks: readonly UIChunk[]): void {
    for (const chunk of chunks) this.#put(chunk);
    for (const reader of this.#readers) reader.serve();
  }

  /** Readers get what there is, and their streams close. */
  end(): void {
    this.#ended = true;
    for (const reader of this.#readers) reader.leave([]);
  }

  read({ place, first }: LogPlace = START): { stream: ReadableStream<UIChunk>; leave: Leave } {
    const reader = new LogReader(this.#entries, place, () => this.#readers.delete(reader));
    this.#readers.add(reader);
    const stream = new ReadableStream<UIChunk>({
      start: (controller) => reader.begin(controller, first),
      pull: () => reader.serve(),
      cancel: () => reader.forget(),
    });
    const leave: Leave = (last) => reader.leave(last);
    if (this.#ended) leave([]);
    return { stream, leave };
  }

  #put(chunk: UIChunk): void {
    const last = this.#entries.at(-1);
    if (last && isDelta(last) && isDelta(chunk) && canMerge(last, chunk)) {
      this.#entries[this.#entries.length - 1] = { ...last, delta: last.delta + chunk.delta };
    } else {
      this.#entries.push(chunk);
    }
  }
}

/** Where a reader begins, and the chunks that lead to there. */
export type LogPlace = { readonly place: number; readonly first: readonly UIChunk[] };

const START: LogPlace = { place: 0, first: [] };

/** Gives one reader what there is and then `last`, and closes its stream. */
type Leave = (last: readonly UIChunk[]) => void;

function isDelta(chunk: UIChunk): chunk is Delta {
  return chunk.type === "text-delta" || chunk.type === "reasoning-delta";
}

function canMerge(last: Delta, next: Delta): boolean {
  return last.type === next.type && last.id === next.id && last.delta.length < MERGED_LENGTH;
}

class LogReader {
  readonly #entries: readonly UIChunk[];
  readonly #onGone: () => void;
  #controller: ReadableStreamDefaultController<UIChunk> | undefined;
  #place: number;
  /** How much of the delta at its place it has read. */
  #offset = 0;

  constructor(entries: readonly UIChunk[], place: number, onGone: () => void) {
    this.#entries = entries;
    this.#place = place;
    this.#onGone = onGone;
  }

  begin(controller: ReadableStreamDefaultController<UIChunk>, first: readonly UIChunk[]): void {
    this.#controller = controller;
    for (const chunk of first) controller.enqueue(chunk);
  }

  /** As much as the stream wants at the moment. */
  serve(): void {
    const controller = this.#controller;
    while (controller && (controller.desiredSize ?? 0) > 0) {
      const chunk = this.#next();
      if (!chunk) return;
      controller.enqueue(chunk);
    }
  }

  leave(last: readonly UIChunk[]): void {
    const controller = this.#controller;
    if (!controller) return;
    for (let chunk = this.#next(); chunk; chunk = this.#next()) controller.enqueue(chunk);
    for (const chunk of last) controller.enqueue(chunk);
    this.forget();
    controller.close();
  }

  forget(): void {
    this.#controller = undefined;
    this.#onGone();
  }

  #next(): UIChunk | undefined {
    const entry = this.#entries[this.#place];
    if (!entry || !isDelta(entry)) return entry && this.#pass(entry);
    if (this.#offset < entry.delta.length) {
      const delta = entry.delta.slice(this.#offset);
      this.#offset = entry.delta.length;
      return { ...entry, delta };
    }
    // The last delta may still grow.
    if (this.#place === this.#entries.length - 1) return undefined;
    this.#pass(entry);
    return this.#next();
  }

  #pass(entry: UIChunk): UIChunk {
    this.#place += 1;
    this.#offset = 0;
    return entry;
  }
}
