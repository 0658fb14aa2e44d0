import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { runnerEvent } from "@agent-ops/shared/events";
import { describe, expect, it } from "vitest";
import type { AgentEvent } from "../src/agent-client.ts";
import { newTitle, OpenCodeTurn } from "../src/agents/opencode-to-v2.ts";

const RECORDINGS = join(import.meta.dirname, "recordings/opencode");

type Recorded = { type: string; properties: { sessionID?: string } };

function recording(name: string): Recorded[] {
  const lines = readFileSync(join(RECORDINGS, `${name}.jsonl`), "utf8")
    .trim()
    .split("\n");
  return lines.map((line) => JSON.parse(line));
}

function turnOf(events: Recorded[], unknown: string[] = []): OpenCodeTurn {
  const created = events.find(({ type }) => type === "session.created");
  const sessionId = created?.properties.sessionID ?? "";
  return new OpenCodeTurn({ sessionId, lastPrompt: "", title: "" }, (name) => unknown.push(name));
}

function play(name: string): { events: AgentEvent[]; turn: OpenCodeTurn; unknown: string[] } {
  const recorded = recording(name);
  const unknown: string[] = [];
  const turn = turnOf(recorded, unknown);
  return { events: recorded.flatMap((event) => turn.take(event)), turn, unknown };
}

/** Ids and numbers of updates differ from run to run; what is left is the meaning. */
function golden(events: AgentEvent[]): string {
  const stable = events.filter((event) => event.type !== "message.part.tool-update" || !event.preliminary);
  const text = stable.map((event) => JSON.stringify(event)).join("\n");
  return `${text.replaceAll(/\b(ses|per|que|msg)_[0-9a-zA-Z]+/g, "$1_ID")}\n`;
}

function only<Type extends AgentEvent["type"]>(events: AgentEvent[], type: Type) {
  return events.filter((event): event is Extract<AgentEvent, { type: Type }> => event.type === type);
}

const names = readdirSync(RECORDINGS).map((file) => basename(file, ".jsonl"));

describe.each(names)("the recording %s", (name) => {
  it("OC1: maps to V2 events that fit the schema, one end last, and nothing unknown", async () => {
    const { events, turn, unknown } = play(name);
    expect(unknown).toEqual([]);
    for (const event of events) expect(runnerEvent.safeParse({ ...event, turnId: "turn" }).error).toBeUndefined();
    expect([turn.ended, only(events, "message.finalize").length]).toEqual([true, 1]);
    expect(events.at(-1)?.type).toBe("message.finalize");
    await expect(golden(events)).toMatchFileSnapshot(`golden/opencode/${name}.jsonl`);
  });

  it("OC1: cut anywhere, or with everything said twice, it breaks nothing", () => {
    const recorded = recording(name);
    for (let length = 0; length < recorded.length; length += 7) {
      const turn = turnOf(recorded);
      for (const event of recorded.slice(0, length)) turn.take(event);
      turn.quiet();
      turn.rejections();
    }
    const doubled = turnOf(recorded);
    const events = recorded.flatMap((event) =>
      event.type === "message.part.delta" ? doubled.take(event) : [...doubled.take(event), ...doubled.take(event)],
    );
    expect(only(events, "message.finalize")).toHaveLength(1);
    expect(only(events, "child-session").length).toBeLessThanOrEqual(2);
  });
});

describe("what OpenCode asks", () => {
  function asked(name: string): { turn: OpenCodeTurn; questionId: string } {
    const recorded = recording(name);
    const turn = turnOf(recorded);
    for (const event of recorded) {
      const [question] = only(turn.take(event), "question");
      if (question) return { turn, questionId: question.questionId };
    }
    throw new Error("Nothing was asked.");
  }

  it.each([
    [{ approved: true }, { reply: "once" }],
    [{ approved: true, always: true }, { reply: "always" }],
    [{ approved: false }, { reply: "reject" }],
    [
      { approved: false, reason: "too risky" },
      { reply: "reject", message: "too risky" },
    ],
  ])("OC2: a permission answered with %j is told as %j, once", (answer, body) => {
    const { turn, questionId } = asked("bash_ask_once");
    expect(turn.reply(questionId, answer)).toEqual({ path: `/permission/${questionId}/reply`, body });
    expect(turn.reply(questionId, answer)).toBeUndefined();
  });

  it("OC2: the question tool is a choice, and its answer goes back as its label", () => {
    const { turn, questionId } = asked("question");
    const reply = { path: `/question/${questionId}/reply`, body: { answers: [["Blue"]] } };
    expect(turn.reply(questionId, { value: "Blue" })).toEqual(reply);
  });

  it("OC2: several questions, or several answers, are a form", () => {
    const turn = turnOf(recording("question"));
    const { sessionID } = recording("question").find(({ type }) => type === "session.created")?.properties ?? {};
    const questions = [
      { question: "Which colours?", header: "Colours", options: [{ label: "Red" }, { label: "Blue" }], multiple: true },
      { question: "Why?", options: [] },
    ];
    const properties = { id: "que_1", sessionID, questions };
    const [event] = turn.take({ type: "question.asked", properties });
    expect(event).toMatchObject({
      kind: "form",
      schema: {
        properties: {
          answer1: { type: "array", title: "Colours", items: { enum: ["Red", "Blue"] } },
          answer2: { type: "string" },
        },
        required: ["answer1", "answer2"],
      },
    });
    const content = { answer1: ["Red", "Blue"], answer2: "because" };
    expect(turn.reply("que_1", { action: "accept", content })?.body).toEqual({
      answers: [["Red", "Blue"], ["because"]],
    });
    turn.take({ type: "question.asked", properties });
    expect(turn.reply("que_1", { action: "decline" })?.path).toBe("/question/que_1/reject");
  });

  it("OC2: a permission waits for its call's arguments, but not for ever; an abort takes it back", () => {
    const recorded = recording("abort_permission");
    const turn = turnOf(recorded);
    const at = recorded.findIndex(({ type }) => type === "permission.asked");
    for (const event of recorded.slice(0, at)) turn.take(event);
    expect(only(turn.take(recorded[at]), "question")).toEqual([]);
    expect(turn.isExpectant).toBe(true);
    expect(turn.quiet()).toMatchObject([{ type: "question", kind: "approval", toolName: "bash" }]);
    expect(turn.rejections()).toMatchObject([{ body: { reply: "reject" } }]);
    expect(turn.rejections()).toEqual([]);
  });
});

describe("what nobody knows", () => {
  it("OC3: an unknown event, and a known one in an unknown shape, are told by name and change nothing", () => {
    const unknown: string[] = [];
    const turn = turnOf(recording("text"), unknown);
    const strange = [{ type: "session.teleported", properties: {} }, { type: "session.idle" }, null, 7, "x", {}];
    expect(strange.flatMap((event) => turn.take(event))).toEqual([]);
    expect(unknown).toEqual(["session.teleported", "session.idle", "no type", "no type", "no type", "no type"]);
    expect(recording("text").flatMap((event) => turn.take(event))).not.toEqual([]);
  });
});

describe("a title", () => {
  const named = (id: string, title: string) => ({ type: "session.updated", properties: { info: { id, title } } });

  it("OC1: is told once, also where the turn is over, and only for the session itself", () => {
    const conversation = { sessionId: "ses_1", lastPrompt: "", title: "" };
    const told = [
      named("ses_1", "New session - 2026-01-01T00:00:00.000Z"),
      named("ses_2", "A subagent's"),
      named("ses_1", "Fix the login"),
      named("ses_1", "Fix the login"),
      { type: "session.idle", properties: { sessionID: "ses_1" } },
      "noise",
    ].map((event) => newTitle(conversation, event));
    expect(told.filter(Boolean)).toEqual([{ type: "title", title: "Fix the login" }]);
  });
});
