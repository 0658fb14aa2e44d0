import { existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import type { Kills } from "../kills.ts";
import { RecordingReader } from "../recording.ts";
import { readStoredLogs, readStoredMessages } from "../stored-logs.ts";
import { History } from "./history.ts";
import { textOf } from "./message-records.ts";
import { Findings } from "./problems.ts";
import { SseAudit } from "./sse-audit.ts";
import { checkTurns } from "./turn-checks.ts";
import type { TurnRecord } from "./turn-records.ts";
import { V2Audit } from "./v2-audit.ts";

/** A client's recording. One that is `whole` has read every turn of its session from start to end. */
export type Tape = { sessionId: string; name: string; kind: "v2" | "sse"; path: string; whole: boolean };

type Sheet = { tape: Tape; reader: RecordingReader; history: History; audit: V2Audit | SseAudit };

type TagKind = "sent" | "taken" | "stopped";

type Places = { data: string; scratch: string };

/** Holds what every client wrote down against what lies on disk, after every kill and at the end. */
export class Auditor {
  readonly findings = new Findings();
  readonly histories = new Map<string, History>();
  #places: Places;
  #sheets: Sheet[];
  /** Tags by session. */
  #tags: Record<TagKind, Map<string, Set<string>>> = { sent: new Map(), taken: new Map(), stopped: new Map() };
  #answers = new Map<string, number[]>();

  constructor(places: Places, tapes: readonly Tape[]) {
    this.#places = places;
    this.#sheets = tapes.map((tape) => {
      const { sessionId, name, path } = tape;
      const history = this.histories.get(sessionId) ?? new History(sessionId, this.findings);
      this.histories.set(sessionId, history);
      const audit = new (tape.kind === "v2" ? V2Audit : SseAudit)(`${sessionId} ${name}`, history, this.findings);
      return { tape, reader: new RecordingReader(path), history, audit };
    });
  }

  /** While nothing runs that writes: how many events some client has in view that were never stored. */
  inspect(): number {
    const known = new Map([...this.histories].map(([sessionId, { seq }]) => [sessionId, seq]));
    this.#read(known);
    const unwritten = this.#sheets.map(({ audit }) => audit.settle() ?? 0);
    return Math.max(0, ...unwritten);
  }

  /** When everything has come to rest; `homes` are the folders where agents keep what they were given. */
  finish(homes: readonly string[], kills: Kills): void {
    this.#read(new Map());
    this.#compareMessages();
    for (const { audit, history, tape } of this.#sheets) {
      if (audit instanceof V2Audit) audit.finish();
      else audit.finish(tape.whole ? history.streams.keys() : []);
    }
    for (const [sessionId, { records }] of this.histories) {
      const tags = (kind: TagKind) => this.#tags[kind].get(sessionId) ?? new Set();
      const given = givenPrompts(homes, sessionId);
      const evidence = {
        sent: tags("sent"),
        taken: tags("taken"),
        stopped: tags("stopped"),
        given,
        answers: this.#answers,
        hit: (turn: TurnRecord) => kills.hit(sessionId, turn),
      };
      checkTurns(sessionId, records, evidence, this.findings);
    }
  }

  get prompts(): number {
    return [...this.#tags.taken.values()].reduce((total, tags) => total + tags.size, 0);
  }

  get rewinds(): number {
    return this.#sheets.reduce((total, { audit }) => total + (audit instanceof V2Audit ? audit.rewinds : 0), 0);
  }

  close(): void {
    for (const { reader } of this.#sheets) reader.close();
  }

  #read(known: ReadonlyMap<string, number>): void {
    for (const [sessionId, stored] of readStoredLogs(this.#places, known)) {
      this.histories.get(sessionId)?.take(stored);
    }
    for (const { tape, reader, audit } of this.#sheets) {
      for (const line of reader.lines()) {
        audit.take(line);
        if (line.k === "sent" || line.k === "taken" || line.k === "stopped") {
          add(this.#tags[line.k], tape.sessionId, line.tag);
        } else if (line.k === "answered") this.#onAnswered(line.questionId, line.status);
      }
    }
  }

  /** What people read as the history must be what the log tells. */
  #compareMessages(): void {
    const stored = readStoredMessages(this.#places);
    for (const [sessionId, { messages }] of this.histories) {
      compareMessages(sessionId, (stored.get(sessionId) ?? []).map(textOf), messages.texts, this.findings);
    }
  }

  #onAnswered(questionId: string, status: number): void {
    this.#answers.set(questionId, [...(this.#answers.get(questionId) ?? []), status]);
  }
}

export function compareMessages(where: string, stored: string[], expected: string[], findings: Findings): void {
  for (const [index, text] of stored.slice(0, expected.length).entries()) {
    findings.messages += 1;
    findings.compare(`${where} stored message ${index}`, text, expected[index] ?? "");
  }
  if (stored.length === expected.length) return;
  const kind = stored.length < expected.length ? "lost" : "doubled";
  findings.add(kind, where, `${stored.length} messages are stored, and the log tells of ${expected.length}`);
}

/** A line of the demo agent's memory. Nothing is replaced here, so it has none that says what was. */
const demoMemory = z.object({ value: z.string() });

function add(sets: Map<string, Set<string>>, name: string, item: string): void {
  sets.set(name, (sets.get(name) ?? new Set()).add(item));
}

/** What the demo agent of a session wrote down that it was given, with how often. */
function givenPrompts(homes: readonly string[], sessionId: string): Map<string, number> {
  const given = new Map<string, number>();
  const folders = homes.map((home) => join(home, sessionId)).filter((folder) => existsSync(folder));
  for (const folder of folders) {
    for (const file of globSync("demo-memory/*.jsonl", { cwd: folder })) {
      for (const line of readFileSync(join(folder, file), "utf8").split("\n")) {
        if (line === "") continue;
        const { value: prompt } = demoMemory.parse(JSON.parse(line));
        given.set(prompt, (given.get(prompt) ?? 0) + 1);
      }
    }
  }
  return given;
}
