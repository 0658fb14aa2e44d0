import type { LogEvent } from "@agent-ops/shared/events";
import { message } from "@agent-ops/shared/message-parts";
import { type QuestionResolution, questionResolution } from "@agent-ops/shared/questions";
import { tagOf } from "../session-watch.ts";

/** What the log says of one turn. */
export type TurnRecord = {
  turnId: string;
  prompt: string;
  tag: string | undefined;
  /** When it began and ended, by the clock of the session. */
  from: number;
  to: number;
  creates: number;
  endings: { reason: string; error: string | undefined }[];
  /** The streamed text. */
  said: string;
  calls: Map<string, string[]>;
};

export type QuestionRecord = { turnId: string; asked: number; resolutions: QuestionResolution[] };

/** Gathers from the log what became of prompts and questions. */
export class TurnRecords {
  readonly turns = new Map<string, TurnRecord>();
  readonly questions = new Map<string, QuestionRecord>();
  /** Prompts that came into the log a second time. */
  readonly repeated: string[] = [];

  take(event: LogEvent): void {
    if (event.type === "message") return this.#onMessage(event.message, event.ts);
    const turn = "turnId" in event ? this.turns.get(String(event.turnId)) : undefined;
    if (!turn) return;
    switch (event.type) {
      case "message.create":
        turn.creates += 1;
        return;
      case "message.part.text-delta":
        turn.said += String(event.delta);
        return;
      case "message.part.tool-update":
        return note(turn.calls, String(event.callId), String(event.status));
      case "message.finalize":
        turn.to = event.ts;
        turn.endings.push({ reason: String(event.reason), error: event.error ? String(event.error) : undefined });
        return;
      case "question":
        this.#question(String(event.questionId), turn).asked += 1;
        return;
      case "question.resolved":
        this.#question(String(event.questionId), turn).resolutions.push(questionResolution.parse(event));
        return;
      default:
    }
  }

  #onMessage(raw: unknown, ts: number): void {
    const { turnId, parts } = message.parse(raw);
    const prompt = parts.map((part) => (part.type === "text" ? part.text : "")).join("");
    const tag = tagOf(prompt);
    const known = [...this.turns.values()].some((turn) => turn.tag === tag);
    if (known || this.turns.has(turnId)) this.repeated.push(prompt);
    const nothing = { creates: 0, endings: [], said: "", calls: new Map() };
    this.turns.set(turnId, { turnId, prompt, tag, from: ts, to: ts, ...nothing });
  }

  #question(id: string, { turnId }: TurnRecord): QuestionRecord {
    const found = this.questions.get(id) ?? { turnId, asked: 0, resolutions: [] };
    this.questions.set(id, found);
    return found;
  }
}

function note(lists: Map<string, string[]>, name: string, item: string): void {
  lists.set(name, [...(lists.get(name) ?? []), item]);
}
