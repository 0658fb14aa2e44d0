import type { LogPayload } from "@agent-ops/shared/events";
import { describe, expect, test } from "vitest";
import { TOOL_UNFINISHED } from "../src/tool-input.ts";
import { phaseOf } from "../src/v2-translator.ts";
import { approval, briefs, canceled, create, endTurn, resolved, step, TURN, tell, text, tool } from "./turns.ts";

const args = { a: 1 };
const INPUT = 'tool-input-available 1 {"a":1}';
const ASK = ["data-question", "tool-approval-request 1", "finish-step", "finish"];
const asked = [create, tool("1", { args }), approval("1")];

/** What comes once the stream was suspended. */
function afterAsking(...events: LogPayload[]): string[] {
  return briefs([...asked, ...events], "native").slice(briefs(asked, "native").length);
}

describe("TR16 asking", () => {
  test("TR16 an approval of a call ends the stream and not the turn", () => {
    const { state, chunks } = tell(asked, "native");
    expect(briefs(asked, "native").slice(2)).toEqual([INPUT, ...ASK]);
    expect(chunks.at(-1)).toEqual({ type: "finish", finishReason: "tool-calls" });
    expect(chunks.at(-3)).toEqual({ type: "tool-approval-request", approvalId: "ask-1", toolCallId: "1" });
    expect(phaseOf(state)).toBe("suspended");
    expect(state.suspendedOn).toBe("ask-1");
  });

  test("TR16 a call that nobody spoke of yet is told first", () => {
    expect(briefs([approval("1")], "native").slice(2)).toEqual([
      "tool-input-start 1",
      "data-question",
      "tool-input-available 1 null",
      ...ASK.slice(1),
    ]);
  });

  test.each<[string, LogPayload[]]>([
    ["a question of another kind", [{ type: "question", questionId: "q", turnId: TURN, kind: "text", prompt: "?" }]],
    [
      "an approval without a call",
      [{ type: "question", questionId: "q", turnId: TURN, kind: "approval", prompt: "?" }],
    ],
    ["an approval of a call that has ended", [tool("1", { status: "completed" }), approval("1")]],
    ["an approval of a call of an earlier step", [tool("1", { args }), step, approval("1")]],
  ])("TR11 %s stays a question in the open stream", (_, events) => {
    const { state, chunks } = tell([create, ...events], "native");
    expect(chunks.at(-1)?.type).toBe("data-question");
    expect(phaseOf(state)).toBe("open");
  });

  test("TR11 as a question, an approval leaves the stream open", () => {
    const { state, chunks } = tell(asked, "question");
    expect(chunks.at(-1)).toMatchObject({
      type: "data-question",
      id: "ask-1",
      data: { callId: "1", kind: "approval" },
    });
    expect(phaseOf(state)).toBe("open");
  });

  test("TR16 a partial output is taken back before its call asks", () => {
    const partial = tool("1", { args, result: "x", preliminary: true });
    expect(briefs([create, partial, approval("1")], "native").slice(2)).toEqual([
      INPUT,
      'tool-output-available 1 "x" preliminary',
      "data-question",
      INPUT,
      ...ASK.slice(1),
    ]);
  });

  test("TR16 calls that run beside it have an output while the stream is suspended", () => {
    const beside = [create, tool("2", { args }), tool("1", { args }), approval("1")];
    expect(briefs(beside, "native").slice(2)).toEqual([
      'tool-input-available 2 {"a":1}',
      INPUT,
      "data-question",
      "tool-approval-request 1",
      "tool-output-available 2 null",
      "finish-step",
      "finish",
    ]);
    const told = briefs([...beside, resolved("ask-1", true), endTurn], "native");
    expect(told.slice(briefs(beside, "native").length)).toEqual([
      "start",
      'tool-input-available 2 {"a":1}',
      "data-question",
      `tool-output-error 2 ${TOOL_UNFINISHED}`,
      `tool-output-error 1 ${TOOL_UNFINISHED}`,
      "finish",
    ]);
  });
});

describe("TR16 going on", () => {
  test("TR16 approved: the message goes on under its id", () => {
    const told = tell([...asked, resolved("ask-1", true)], "native");
    expect(told.chunks.at(-2)).toEqual({ type: "start", messageId: TURN });
    const resolution = { outcome: "answered", answer: { approved: true }, by: "ann" };
    expect(told.chunks.at(-1)).toMatchObject({ type: "data-question", id: "ask-1", data: { resolution } });
    expect(phaseOf(told.state)).toBe("open");
    expect(told.state.suspendedOn).toBeUndefined();
    expect(
      afterAsking(resolved("ask-1", true), tool("1", { status: "completed", result: 2 }), text("b"), endTurn),
    ).toEqual([
      "start",
      "data-question",
      "tool-output-available 1 2",
      "start-step",
      "text-start",
      "text-delta b",
      "text-end",
      "finish-step",
      "finish",
    ]);
  });

  test("TR16 refused: the output is denied, and what the tool says of it is nothing new", () => {
    expect(afterAsking(resolved("ask-1", false), tool("1", { status: "error", error: "refused" }), endTurn)).toEqual([
      "start",
      "tool-output-denied 1",
      "data-question",
      "finish",
    ]);
  });

  test("TR6 refused, as a question: the tool's own error tells it", () => {
    const refused = [...asked, resolved("ask-1", false), tool("1", { status: "error", error: "refused" })];
    expect(briefs(refused).slice(2)).toEqual([INPUT, "data-question", "data-question", "tool-output-error 1 refused"]);
  });

  test.each<[string, LogPayload, string[]]>([
    ["an output", tool("1", { status: "completed" }), ["start", "tool-output-available 1 null"]],
    ["text", text("b"), ["start", "start-step", "text-start", "text-delta b"]],
    ["a step", step, ["start", "start-step"]],
    ["a cancel", canceled, ["start", `tool-output-error 1 ${TOOL_UNFINISHED}`, "abort", "finish"]],
    ["a status", { type: "agentStatus", turnId: TURN, status: "idle" }, []],
    ["the same question", approval("1"), []],
    ["an answer to another question", resolved("ask-9", true), []],
    ["an event of another turn", text("b", "turn-2"), []],
  ])("TR16 %s while the stream is suspended", (_, event, expected) => {
    expect(afterAsking(event)).toEqual(expected);
  });

  test("TR16 a second approval while the first waits ends its own stream", () => {
    const both = [create, tool("1", { args }), tool("2", { args }), approval("1"), approval("2")];
    expect(briefs(both, "native").slice(-5)).toEqual([
      "start",
      'tool-input-available 2 {"a":1}',
      "data-question",
      "tool-approval-request 2",
      "finish",
    ]);
    expect(tell(both, "native").state.suspendedOn).toBe("ask-2");
  });
});
