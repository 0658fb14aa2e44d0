import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { LogEvent } from "@agent-ops/shared/events";
import { type Message, message as parseMessage } from "@agent-ops/shared/message-parts";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Kills } from "../kills.ts";
import { Recording, RecordingReader, type RecordLine } from "../recording.ts";
import { compareMessages } from "./auditor.ts";
import { History } from "./history.ts";
import { textOf } from "./message-records.ts";
import { Findings } from "./problems.ts";
import { SseAudit } from "./sse-audit.ts";
import { checkTurns, type Evidence } from "./turn-checks.ts";
import { V2Audit } from "./v2-audit.ts";

const PROMPT = "/stream 4 1 s0p0";
const message = { id: "s0p0", role: "user", turnId: "t1", parts: [{ type: "text", text: PROMPT }], createdAt: 1 };

/** A log of one turn that streams so many words. */
function logOf(words: readonly string[], ending = { reason: "end_turn" }): LogEvent[] {
  const payloads = [
    { type: "message", message },
    { type: "message.create", turnId: "t1" },
    ...words.map((delta) => ({ type: "message.part.text-delta", turnId: "t1", delta: `${delta} ` })),
    { type: "message.finalize", turnId: "t1", ...ending },
  ];
  return payloads.map((payload, index) => ({ ...payload, seq: index + 1, ts: 1 }));
}

const WORDS = ["t0", "t1", "t2", "t3"];
const LOG = logOf(WORDS);
const EVIDENCE: Evidence = {
  sent: new Set(["s0p0"]),
  taken: new Set(["s0p0"]),
  stopped: new Set(),
  given: new Map([[PROMPT, 1]]),
  answers: new Map(),
  hit: () => true,
};

function historyOf(log: readonly LogEvent[], findings: Findings): History {
  const history = new History("s0", findings);
  history.take(log);
  return history;
}

const open = (c: number, since: number): RecordLine => ({ t: 0, k: "open", c, since, generation: 0 });
const frame = (c: number, ...events: object[]): RecordLine => ({ t: 0, k: "frame", c, text: JSON.stringify(events) });
const hello = (seq: number) => ({ type: "hello", seq, generation: 1, people: [] });
const rewind = (seq: number) => ({ type: "rewind", seq, generation: 2 });

function kindsOf({ problems }: Findings): string[] {
  return problems.map(({ kind }) => kind);
}

describe("the audit of a V2 client", () => {
  function audit(lines: RecordLine[], log = LOG): string[] {
    const findings = new Findings();
    const client = new V2Audit("alice", historyOf(log, findings), findings);
    for (const line of lines) client.take(line);
    client.finish();
    return kindsOf(findings);
  }

  it("finds nothing where the client got all of it, over any connections", () => {
    expect(audit([open(1, 0), frame(1, hello(0), ...LOG)])).toEqual([]);
    const reconnected = [open(1, 0), frame(1, hello(0), ...LOG.slice(0, 5)), open(2, 3), frame(2, hello(3))];
    expect(audit([...reconnected, frame(1, ...LOG.slice(5)), frame(2, ...LOG.slice(3))])).toEqual([]);
  });

  it.each([
    ["a gap", [hello(0), ...LOG.toSpliced(3, 1)], ["lost"]],
    ["a double", [hello(0), ...LOG.slice(0, 3), ...LOG.slice(2)], ["doubled"]],
    ["a missing end", [hello(0), ...LOG.slice(0, 4)], ["lost"]],
    ["other words", [hello(0), ...LOG.with(3, { ...LOG[3], type: "x", seq: 4, ts: 1 })], ["different"]],
    ["more than the log", [hello(0), ...LOG, { type: "x", seq: LOG.length + 1, ts: 1 }], ["different"]],
  ])("finds %s", (_, events, expected) => {
    expect(audit([open(1, 0), frame(1, ...events)])).toEqual(expected);
  });

  describe("over a kill after event 4, of which event 3 was the last one stored", () => {
    const shown = { type: "message.part.text-delta", turnId: "t1", delta: "lost ", seq: 4, ts: 1 };

    function auditOverKill(after: RecordLine[]): { unwritten: number; kinds: string[] } {
      const findings = new Findings();
      const history = historyOf(LOG.slice(0, 3), findings);
      const client = new V2Audit("alice", history, findings);
      for (const line of [open(1, 0), frame(1, hello(0), ...LOG.slice(0, 3), shown)]) client.take(line);
      const unwritten = client.settle();
      history.take(LOG);
      for (const line of after) client.take(line);
      client.finish();
      return { unwritten, kinds: kindsOf(findings) };
    }

    it("finds the unwritten event, and nothing wrong with a client that was sent back", () => {
      const after = [open(2, 4), frame(2, rewind(3), ...LOG.slice(3))];
      expect(auditOverKill(after)).toEqual({ unwritten: 1, kinds: [] });
    });

    it("finds that a client was left with what the log does not have", () => {
      const after = [open(2, 4), frame(2, hello(4), ...LOG.slice(4))];
      expect(auditOverKill(after)).toEqual({ unwritten: 1, kinds: ["different"] });
    });
  });
});

describe("the audit of an SSE client", () => {
  const expected = historyOf(LOG, new Findings()).streams.get("t1")?.payloads ?? [];

  function audit(...streams: { from: number; payloads: string[] }[]): string[] {
    const findings = new Findings();
    const client = new SseAudit("carol", historyOf(LOG, findings), findings);
    for (const [c, { from, payloads }] of streams.entries()) {
      client.take({ t: 0, k: "ask", c, method: "GET", startIndex: from });
      client.take({ t: 0, k: "head", c, status: 200, turnId: "t1" });
      client.take({ t: 0, k: "bytes", c, text: payloads.map((payload) => `data: ${payload}\n\n`).join("") });
    }
    client.finish(["t1"]);
    return [...new Set(kindsOf(findings))];
  }

  it("finds nothing where each chunk came at its index", () => {
    expect(audit({ from: 0, payloads: expected })).toEqual([]);
    const parts = [expected.slice(0, 4), expected.slice(3)].map((payloads, part) => ({ from: part * 3, payloads }));
    expect(audit(...parts)).toEqual([]);
  });

  it("finds what is missing, too much or other", () => {
    expect(audit({ from: 0, payloads: expected.slice(0, -1) })).toEqual(["lost"]);
    expect(audit({ from: 0, payloads: [...expected, '{"type":"finish"}'] })).toEqual(["doubled"]);
    expect(audit({ from: 0, payloads: expected.toSpliced(3, 1) })).toContain("different");
    const later = expected.slice(5);
    expect(audit({ from: 0, payloads: expected.slice(0, 5) }, { from: 4, payloads: later })).toContain("different");
  });
});

describe("the audit of turns", () => {
  function audit(log: readonly LogEvent[], change: Partial<Evidence> = {}): string[] {
    const findings = new Findings();
    const { records } = historyOf(log, findings);
    checkTurns("s0", records, { ...EVIDENCE, ...change }, findings);
    return kindsOf(findings);
  }

  it("finds nothing in a turn that ran once, or failed with a word on it", () => {
    expect(audit(LOG)).toEqual([]);
    expect(audit(logOf(["t0", "t1"], { reason: "error", ...{ error: "The runner restarted." } }))).toEqual([]);
  });

  it("finds a turn that failed although nothing of its own was killed, and nobody wanted it to stop", () => {
    const failed = logOf(["t0"], { reason: "error", ...{ error: "The server restarted." } });
    expect(audit(failed, { hit: () => false })).toEqual(["failed"]);
    expect(audit(failed, { hit: ({ from, to }) => from === 1 && to === 1 })).toEqual([]);
    expect(audit(failed, { hit: () => false, stopped: new Set(["s0p0"]) })).toEqual([]);
    expect(audit(LOG, { hit: () => false })).toEqual([]);
  });

  it("finds a turn that was canceled, unless somebody wanted that", () => {
    const canceled = logOf(["t0"], { reason: "canceled" });
    expect(audit(canceled)).toEqual(["different"]);
    expect(audit(canceled, { stopped: new Set(["s0p0"]) })).toEqual([]);
  });

  it.each<[string, string[], string[]]>([
    ["a word that is missing", ["t0", "t2", "t3"], ["lost", "lost"]],
    ["a word that came twice", ["t0", "t1", "t1", "t2", "t3"], ["doubled", "doubled"]],
    ["a turn that stopped short", ["t0", "t1"], ["lost"]],
  ])("finds %s", (_, words, expected) => {
    expect(audit(logOf(words))).toEqual(expected);
  });

  it("finds prompts that were lost, given twice, never given, or never ended", () => {
    expect(audit(LOG, { taken: new Set(["s0p0", "s0p1"]) })).toEqual(["lost"]);
    expect(audit(LOG, { given: new Map([[PROMPT, 2]]) })).toEqual(["doubled"]);
    expect(audit(LOG, { given: new Map() })).toEqual(["lost"]);
    expect(audit(LOG.slice(0, -1))).toEqual(["lost"]);
    expect(audit([...LOG, { type: "message", message, seq: LOG.length + 1, ts: 1 }])).toContain("doubled");
  });

  it("finds questions with two answers, and answers that got lost", () => {
    const ask = { type: "question", turnId: "t1", questionId: "q1", kind: "text", prompt: "?", ts: 1 };
    const resolved = { type: "question.resolved", turnId: "t1", questionId: "q1", outcome: "answered", ts: 1 };
    const withQuestion = (...events: object[]) =>
      [...LOG.slice(0, 2), ask, ...events, ...LOG.slice(2)].map(
        (event, index): LogEvent => ({ type: "x", ts: 1, ...event, seq: index + 1 }),
      );
    expect(audit(withQuestion({ ...resolved, by: "alice" }))).toEqual([]);
    expect(audit(withQuestion({ ...resolved, by: "alice" }, { ...resolved, by: "bob" }))).toEqual(["doubled"]);
    const accepted = { answers: new Map([["q1", [0, 200]]]) };
    expect(audit(withQuestion({ ...resolved, by: "alice" }), accepted)).toEqual(["lost"]);
    expect(audit(withQuestion({ ...resolved, by: "bob" }), accepted)).toEqual([]);
  });
});

describe("the audit of stored messages", () => {
  const parts = [
    { type: "text" as const, text: "t0 t1 t2 t3 " },
    { type: "finish" as const, reason: "end_turn" as const },
  ];
  const answer = { id: "t1", role: "assistant" as const, turnId: "t1", createdAt: 5, parts };

  function audit(...stored: Message[]): string[] {
    const findings = new Findings();
    compareMessages("s0", stored.map(textOf), historyOf(LOG, findings).messages.texts, findings);
    return kindsOf(findings);
  }

  it("finds what is missing, too much or other than the log tells", () => {
    const asked = parseMessage.parse(message);
    expect(audit(asked, answer)).toEqual([]);
    expect(audit(asked)).toEqual(["lost"]);
    expect(audit(asked, answer, answer)).toEqual(["doubled"]);
    expect(audit(asked, { ...answer, parts: parts.slice(1) })).toEqual(["different"]);
    expect(audit(answer, asked)).toEqual(["different", "different"]);
  });
});

describe("the kills that a turn can have felt", () => {
  it("are those of its own agent, at its time", () => {
    const kills = new Kills();
    const now = Date.now();
    kills.agentOf("s0");
    const during = { from: now - 10, to: now + 1_000 };
    expect([kills.hit("s0", during), kills.hit("s1", during)]).toEqual([true, false]);
    expect(kills.hit("s0", { from: now + 60_000, to: now + 61_000 })).toBe(false);
    expect(kills.hit("s0", { from: now - 61_000, to: now - 60_000 })).toBe(false);
    expect(kills.workerdDuring(during)).toBe(false);
    kills.workerd();
    expect(kills.workerdDuring(during)).toBe(true);
  });
});

describe("a stored log", () => {
  it("that has a gap, a double or a change is found", () => {
    const findings = new Findings();
    const history = historyOf(LOG.slice(0, 3), findings);
    history.take(LOG.toSpliced(1, 1));
    history.take([...LOG.slice(0, 3), ...LOG.slice(2)]);
    history.take(LOG.map((event) => ({ ...event, ts: event.seq === 2 ? 5 : 1 })));
    expect(new Set(kindsOf(findings))).toEqual(new Set(["lost", "doubled", "different"]));
  });
});

describe("a recording", () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "agent-ops-recording-"));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it("is on disk as soon as something is noted", () => {
    const recording = new Recording(join(folder, "a.jsonl"));
    const reader = new RecordingReader(recording.path);
    recording.note({ k: "sent", tag: "s0p0" });
    expect([...reader.lines()]).toMatchObject([{ k: "sent", tag: "s0p0" }]);
    expect([...reader.lines()]).toEqual([]);
    recording.note({ k: "frame", c: 1, text: "ü".repeat(200_000) });
    expect([...reader.lines()]).toHaveLength(1);
    reader.close();
  });
});
