import { DONE_FRAME, encodeFrame } from "@agent-ops/ai-sdk/sse";
import {
  type ApprovalMode,
  phaseOf,
  startTranslation,
  type Translation,
  translate,
} from "@agent-ops/ai-sdk/translator";
import type { UIChunk } from "@agent-ops/shared/ai-sdk";
import type { LogEvent } from "@agent-ops/shared/events";
import type { Access } from "./access.ts";
import { metrics } from "./metrics.ts";

/** What decides the bytes of a turn's stream: readers of the same kind get the same ones. */
export type StreamKind = {
  approvals: ApprovalMode;
  /** Questions of the turn that need no native request, since they have their answer. */
  answered?: readonly string[] | undefined;
  named: boolean;
  transient: boolean;
};

/** Where a reader begins: at the start, after so many logged chunks, or where the answer to a question goes on. */
export type StreamFrom = { at: "start" } | { at: "index"; index: number } | { at: "answer"; questionId: string };

/** Who ended a stream: the client that closed it, or the session that had no more to say. */
export type EndedBy = "client" | "session";

export type StreamOptions = {
  turnId: string;
  kind: StreamKind;
  from: StreamFrom;
  onEnd?: (by: EndedBy) => void;
  /** It has caught up with the log: what comes from here on comes as it happens. */
  onLive?: () => void;
  holder?: Access;
};

/** Far above any limit, so that the stream itself never holds anything back. */
const QUEUE_BYTES = 1024 * 1024 * 1024;
export const QUEUING = { highWaterMark: QUEUE_BYTES, size: (chunk?: Uint8Array) => chunk?.byteLength ?? 0 };

const encoder = new TextEncoder();

/** One reader of one turn: its place in the log, its own translation while it catches up, and its queue of bytes. */
export class StreamReader {
  readonly turnId: string;
  readonly kind: StreamKind;
  readonly onEnd: (by: EndedBy) => void;
  readonly onLive: () => void;
  /** Whose stream it is; without the right to it, it ends. */
  readonly holder: Access | undefined;
  /** The last seq it was fed from the log; undefined while its turn has not begun. */
  cursor: number | undefined;
  phase: "replay" | "live" | "closed" = "replay";
  /** Its turn's place in the queue, as it was told. */
  position: number | undefined;
  /** What was still unread of the replay when the reader went live: it does not count against it. */
  allowance = 0;
  lastWrite: number;
  #translation: Translation;
  #from: StreamFrom;
  #skip: number;
  #written = false;
  #skipToAnswer: boolean;
  #controller: ReadableStreamDefaultController<Uint8Array>;

  constructor(options: StreamOptions, controller: ReadableStreamDefaultController<Uint8Array>, now: number) {
    const { turnId, kind, from } = options;
    this.turnId = turnId;
    this.kind = kind;
    this.holder = options.holder;
    this.onEnd = options.onEnd ?? (() => undefined);
    this.onLive = options.onLive ?? (() => undefined);
    this.lastWrite = now;
    this.#controller = controller;
    this.#from = from;
    this.#skip = from.at === "index" ? from.index : 0;
    this.#skipToAnswer = from.at === "answer";
    this.#translation = startTranslation(turnId, kind);
  }

  get translation(): Translation {
    return this.#translation;
  }

  get unread(): number {
    return QUEUE_BYTES - (this.#controller.desiredSize ?? QUEUE_BYTES);
  }

  /** Whether what it was promised to skip has not all gone by. */
  get skipping(): boolean {
    return this.#skip > 0 || this.#skipToAnswer;
  }

  /** Whether its stream is over for now: the turn has ended, or waits for an answer that this reader did not bring. */
  get complete(): boolean {
    const phase = phaseOf(this.#translation);
    if (phase !== "suspended") return phase === "ended";
    return !(this.#from.at === "answer" && this.#translation.suspendedOn === this.#from.questionId);
  }

  /** Feeds it from the log. Transient chunks are not part of a replay. */
  replay(entries: readonly { event: LogEvent }[], now: number): void {
    let frames = "";
    for (const { event } of entries) {
      this.cursor = event.seq;
      const { state, chunks } = translate(this.#translation, event);
      this.#translation = state;
      frames += encodeChunks(this.#unskipped(chunks.filter(isLogged)), this.kind);
      if (phaseOf(state) === "ended") break;
    }
    if (frames !== "") this.write(encoder.encode(frames), now);
  }

  write(bytes: Uint8Array, now: number): void {
    this.#controller.enqueue(bytes);
    if (!this.#written) metrics.observe("adapter.latency.ttfb", now - this.lastWrite);
    this.#written = true;
    this.lastWrite = now;
  }

  writeChunk(chunk: UIChunk, now: number): void {
    this.write(encoder.encode(encodeFrame(chunk, this.kind.named ? "named" : undefined)), now);
  }

  close(now: number): void {
    this.phase = "closed";
    this.write(encoder.encode(DONE_FRAME), now);
    this.#controller.close();
  }

  #unskipped(chunks: readonly UIChunk[]): readonly UIChunk[] {
    if (this.#skipToAnswer) {
      const { suspendedOn } = this.#translation;
      if (this.#from.at === "answer" && suspendedOn === this.#from.questionId) this.#skipToAnswer = false;
      return [];
    }
    const skipped = Math.min(this.#skip, chunks.length);
    this.#skip -= skipped;
    return chunks.slice(skipped);
  }
}

export function encodeChunks(chunks: readonly UIChunk[], kind: StreamKind): string {
  return chunks.map((chunk) => encodeFrame(chunk, kind.named ? "named" : undefined)).join("");
}

export function isLogged(chunk: UIChunk): boolean {
  return !("transient" in chunk);
}
