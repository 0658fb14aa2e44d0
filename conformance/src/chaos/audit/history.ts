import { encodeFrame } from "@agent-ops/ai-sdk/sse";
import { phaseOf, startTranslation, type Translation, translate } from "@agent-ops/ai-sdk/translator";
import type { LogEvent } from "@agent-ops/shared/events";
import { message } from "@agent-ops/shared/message-parts";
import { MessageRecords } from "./message-records.ts";
import type { Findings } from "./problems.ts";
import { TurnRecords } from "./turn-records.ts";

/** The chunks that index-counting readers of a turn get, as payloads of their frames. */
type TurnStream = { translation: Translation; payloads: string[] };

/** One session's log as it was read from disk, piece by piece: it may only grow. */
export class History {
  readonly sessionId: string;
  readonly records = new TurnRecords();
  readonly messages = new MessageRecords();
  readonly streams = new Map<string, TurnStream>();
  #json: string[] = [];
  #findings: Findings;
  #open = new Set<TurnStream>();

  constructor(sessionId: string, findings: Findings) {
    this.sessionId = sessionId;
    this.#findings = findings;
  }

  get seq(): number {
    return this.#json.length;
  }

  /** An event as the log has it. */
  jsonAt(seq: number): string {
    return this.#json[seq - 1] ?? "";
  }

  /** Takes what was read from disk; what was there before must still be the same. */
  take(stored: readonly LogEvent[]): void {
    let last: number | undefined;
    for (const event of stored) {
      if (last !== undefined && event.seq !== last + 1) this.#outOfOrder(last, event.seq);
      last = event.seq;
      this.#takeEvent(event);
    }
  }

  #takeEvent(event: LogEvent): void {
    const json = JSON.stringify(event);
    if (event.seq <= this.seq) {
      if (json !== this.jsonAt(event.seq)) this.#findings.add("different", this.#place(event.seq), "the log changed");
      return;
    }
    if (event.seq !== this.seq + 1) return this.#outOfOrder(this.seq, event.seq);
    this.#json.push(json);
    this.records.take(event);
    this.messages.take(event);
    this.#translate(event);
  }

  #outOfOrder(last: number, next: number): void {
    const kind = next > last ? "lost" : "doubled";
    this.#findings.add(kind, this.#place(next), `the stored log goes from ${last} to ${next}`);
  }

  /** A turn's stream begins with its person's message. */
  #translate(event: LogEvent): void {
    if (event.type === "message") {
      const { turnId } = message.parse(event.message);
      const stream = { translation: startTranslation(turnId, { approvals: "question" }), payloads: [] };
      this.streams.set(turnId, stream);
      this.#open.add(stream);
    }
    for (const stream of this.#open) {
      const { state, chunks } = translate(stream.translation, event);
      stream.translation = state;
      for (const chunk of chunks) {
        if (!("transient" in chunk)) stream.payloads.push(encodeFrame(chunk).slice("data: ".length, -2));
      }
      if (phaseOf(state) === "ended") this.#open.delete(stream);
    }
  }

  #place(seq: number): string {
    return `${this.sessionId} event ${seq}`;
  }
}
