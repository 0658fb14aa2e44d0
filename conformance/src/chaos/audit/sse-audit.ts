import { isCounted, SseFrames } from "../actors/sse-frames.ts";
import type { RecordLine } from "../recording.ts";
import type { History } from "./history.ts";
import type { Findings } from "./problems.ts";

type Exchange = { index: number; turnId: string; frames: SseFrames };
/** What a client has of a turn's chunks, and how many of them were compared. */
type Received = { payloads: string[]; compared: number };

/** Holds the bytes of an SSE client against the log: each chunk at its index, over however many streams it took. */
export class SseAudit {
  #name: string;
  #history: History;
  #findings: Findings;
  #exchanges = new Map<number, Exchange>();
  #turns = new Map<string, Received>();
  /** The text that an AI SDK client showed in the end. */
  #views = new Map<string, string>();

  constructor(name: string, history: History, findings: Findings) {
    this.#name = name;
    this.#history = history;
    this.#findings = findings;
  }

  take(line: RecordLine): void {
    if (line.k === "ask") {
      this.#exchanges.set(line.c, { index: line.startIndex, turnId: "", frames: new SseFrames() });
    } else if (line.k === "head") this.#exchange(line.c).turnId = line.turnId;
    else if (line.k === "bytes") this.#onBytes(this.#exchange(line.c), Buffer.from(line.text, "latin1"));
    else if (line.k === "view") this.#views.set(line.turnId, line.text);
  }

  settle(): void {
    for (const [turnId, received] of this.#turns) {
      const expected = this.#history.streams.get(turnId)?.payloads ?? [];
      const end = Math.min(expected.length, received.payloads.length);
      for (; received.compared < end; received.compared += 1) {
        const at = received.compared;
        this.#findings.compare(`${this.#name} ${turnId} chunk ${at}`, received.payloads[at] ?? "", expected[at] ?? "");
      }
    }
  }

  /** When everything has come to rest: the turns in `whole` were read from start to end. */
  finish(whole: Iterable<string>): void {
    this.settle();
    for (const [turnId, text] of this.#views) {
      const said = this.#history.records.turns.get(turnId)?.said ?? "";
      this.#findings.compare(`${this.#name} ${turnId} as shown`, text, said);
    }
    for (const [turnId, { payloads, compared }] of this.#turns) {
      if (compared < payloads.length) {
        this.#findings.add("doubled", `${this.#name} ${turnId}`, `${payloads.length} chunks, the log has ${compared}`);
      }
    }
    for (const turnId of whole) {
      const got = this.#turns.get(turnId)?.payloads.length ?? 0;
      const expected = this.#history.streams.get(turnId)?.payloads.length ?? 0;
      if (got < expected) this.#findings.add("lost", `${this.#name} ${turnId}`, `${got} of ${expected} chunks`);
    }
  }

  #exchange(number: number): Exchange {
    const exchange = this.#exchanges.get(number);
    if (!exchange) throw new Error(`${this.#name} has an answer to ${number}, which it never asked.`);
    return exchange;
  }

  #onBytes(exchange: Exchange, bytes: Uint8Array): void {
    for (const payload of exchange.frames.feed(bytes)) if (isCounted(payload)) this.#onChunk(exchange, payload);
  }

  #onChunk(exchange: Exchange, payload: string): void {
    const { turnId, index } = exchange;
    exchange.index += 1;
    const received = this.#turns.get(turnId) ?? { payloads: [], compared: 0 };
    this.#turns.set(turnId, received);
    const known = received.payloads[index];
    if (known !== undefined) this.#findings.compare(`${this.#name} ${turnId} chunk ${index} again`, payload, known);
    else received.payloads[index] = payload;
  }
}
