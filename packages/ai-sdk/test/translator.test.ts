import type { LogPayload } from "@agent-ops/shared/events";
import { describe, expect, test } from "vitest";
import { TOOL_FAILED, TOOL_UNFINISHED } from "../src/tool-input.ts";
import { phaseOf } from "../src/v2-translator.ts";
import { briefs, canceled, create, endTurn, reasoning, step, TURN, tell, text, tool } from "./turns.ts";

const BEGIN = ["start", "start-step"];
const END = ["finish-step", "finish"];

describe("turn and start", () => {
  test("TR1 events of other turns yield nothing", () => {
    const other: LogPayload[] = [text("no", "turn-2"), { type: "message.finalize", turnId: "turn-2", reason: "error" }];
    expect(briefs([create, ...other, { type: "mystery", turnId: "turn-2" }])).toEqual(BEGIN);
  });

  test("TR1 an event that names no turn counts only while the turn runs", () => {
    expect(briefs([{ type: "complete" }, { type: "chunk", content: "no" }])).toEqual([]);
    expect(briefs([create, { type: "complete" }])).toEqual([...BEGIN, ...END]);
  });

  test("TR2 message.create starts the message under the turn's id, once", () => {
    expect(tell([create, create]).chunks).toEqual([{ type: "start", messageId: TURN }, { type: "start-step" }]);
  });

  test("TR2 whatever comes first makes up the start", () => {
    expect(briefs([text("a")])).toEqual([...BEGIN, "text-start", "text-delta a"]);
    expect(briefs([endTurn])).toEqual([...BEGIN, ...END]);
  });
});

describe("blocks and steps", () => {
  test("TR3 deltas share a block until one of the other kind comes", () => {
    const { chunks } = tell([text("a"), text("b"), reasoning("c"), text("d")]);
    expect(chunks.slice(2)).toEqual([
      { type: "text-start", id: "text-1" },
      { type: "text-delta", id: "text-1", delta: "a" },
      { type: "text-delta", id: "text-1", delta: "b" },
      { type: "text-end", id: "text-1" },
      { type: "reasoning-start", id: "reasoning-2" },
      { type: "reasoning-delta", id: "reasoning-2", delta: "c" },
      { type: "reasoning-end", id: "reasoning-2" },
      { type: "text-start", id: "text-3" },
      { type: "text-delta", id: "text-3", delta: "d" },
    ]);
  });

  test("TR3 an empty delta yields nothing and closes nothing", () => {
    expect(briefs([text("")])).toEqual([]);
    expect(briefs([text("a"), reasoning(""), text("b")]).filter((chunk) => chunk === "text-start")).toHaveLength(1);
  });

  test("TR3 a delta on an open block keeps the stream's state", () => {
    const before = tell([text("a"), tool("1", { status: "completed" }), text("b")]).state;
    const after = tell([text("a"), tool("1", { status: "completed" }), text("b"), text("c")]).state;
    expect(after.stream).toEqual(before.stream);
  });

  test.each([
    ["a tool", tool("1", {})],
    ["a step", step],
    ["a question", { type: "question", questionId: "q", turnId: TURN, kind: "text", prompt: "?" } as const],
    ["the end", endTurn],
    ["an update of a call that has ended", tool("0", { status: "completed" })],
  ])("TR4 %s closes what is open", (_, event) => {
    const before = [tool("0", { status: "completed" }), text("a")];
    expect(briefs([...before, event])[briefs(before).length]).toBe("text-end");
  });

  test("TR5 a step ends the one before it", () => {
    expect(briefs([create, step])).toEqual([...BEGIN, "finish-step", "start-step"]);
  });

  test("TR5 an input that is still arriving is told before its step ends", () => {
    const told = briefs([
      create,
      tool("1", { argsDelta: '{"a":1}' }),
      step,
      tool("1", { status: "completed", result: 2 }),
    ]);
    expect(told.slice(2)).toEqual([
      "tool-input-start 1",
      'tool-input-delta {"a":1}',
      'tool-input-available 1 {"a":1}',
      "finish-step",
      "start-step",
      "tool-output-available 1 2",
    ]);
  });
});

describe("tools", () => {
  const INPUT = 'tool-input-available 1 {"a":1}';
  const args = { a: 1 };
  const cases: [string, LogPayload[], string[]][] = [
    ["the first sign without args", [tool("1", { status: "pending" })], ["tool-input-start 1"]],
    [
      "args as text",
      [
        tool("1", { argsDelta: '{"a"' }),
        tool("1", { argsDelta: ":1}" }),
        tool("1", { status: "completed", result: 2 }),
      ],
      ["tool-input-start 1", 'tool-input-delta {"a"', "tool-input-delta :1}", INPUT, "tool-output-available 1 2"],
    ],
    [
      "args as text that is no JSON",
      [tool("1", { argsDelta: '{"a"' }), tool("1", { status: "error", error: "no" })],
      ["tool-input-start 1", 'tool-input-delta {"a"', 'tool-input-available 1 "{\\"a\\""', "tool-output-error 1 no"],
    ],
    ["args", [tool("1", { args }), tool("1", { args: { ...args } })], [INPUT]],
    ["other args", [tool("1", { args: {} }), tool("1", { args })], ["tool-input-available 1 {}", INPUT]],
    [
      "no args at all",
      [tool("1", { status: "completed" })],
      ["tool-input-start 1", "tool-input-available 1 null", "tool-output-available 1 null"],
    ],
    [
      "partial results",
      [
        tool("1", { args, result: "x", preliminary: true }),
        tool("1", { result: "xy", status: "completed", preliminary: true }),
        tool("1", { status: "completed", result: "xyz" }),
      ],
      [
        INPUT,
        'tool-output-available 1 "x" preliminary',
        'tool-output-available 1 "xy" preliminary',
        'tool-output-available 1 "xyz"',
      ],
    ],
    [
      "a partial result that turns out to be the last",
      [tool("1", { args, result: "x", preliminary: true }), tool("1", { status: "completed" })],
      [INPUT, 'tool-output-available 1 "x" preliminary', 'tool-output-available 1 "x"'],
    ],
    [
      "other args after a partial result",
      [tool("1", { args: {}, result: "x", preliminary: true }), tool("1", { args })],
      [
        "tool-input-available 1 {}",
        'tool-output-available 1 "x" preliminary',
        INPUT,
        'tool-output-available 1 "x" preliminary',
      ],
    ],
    ["an error", [tool("1", { args, status: "error", error: "no" })], [INPUT, "tool-output-error 1 no"]],
    ["an error without a text", [tool("1", { args, status: "error" })], [INPUT, `tool-output-error 1 ${TOOL_FAILED}`]],
    [
      "what comes after the end",
      [tool("1", { args, status: "completed", result: 2 }), tool("1", { status: "error" }), tool("1", { args: {} })],
      [INPUT, "tool-output-available 1 2"],
    ],
  ];
  test.each(cases)("TR6 %s", (_, events, expected) => {
    expect(briefs(events).slice(2)).toEqual(expected);
  });

  test("TR7 every chunk of a tool says that the server runs it", () => {
    const { chunks } = tell([
      tool("1", {}),
      tool("1", { args }),
      tool("1", { status: "completed" }),
      tool("2", { args }),
      endTurn,
    ]);
    const tools = chunks.filter((chunk) => chunk.type.startsWith("tool-"));
    expect(tools).toHaveLength(5);
    for (const chunk of tools) expect(chunk).toMatchObject({ providerExecuted: true, dynamic: true });
  });

  test.each([endTurn, canceled])("TR8 a tool that is open when the turn ends gets an error", (end) => {
    const told = briefs([tool("1", { args }), tool("2", { status: "pending" }), end]);
    expect(told.slice(2, 7)).toEqual([
      INPUT,
      "tool-input-start 2",
      `tool-output-error 1 ${TOOL_UNFINISHED}`,
      "tool-input-available 2 null",
      `tool-output-error 2 ${TOOL_UNFINISHED}`,
    ]);
  });
});

describe("the end", () => {
  test("TR9 canceled: abort, and metadata that says so", () => {
    expect(tell([text("a"), canceled]).chunks.slice(4)).toEqual([
      { type: "text-end", id: "text-1" },
      { type: "finish-step" },
      { type: "abort" },
      { type: "finish", messageMetadata: { canceled: true } },
    ]);
  });

  test.each<[string, LogPayload]>([
    ["finalize", { type: "message.finalize", turnId: TURN, reason: "error", error: "boom" }],
    ["an error that names the turn", { type: "error", turnId: TURN, message: "boom" }],
  ])("TR9 %s: metadata, then error", (_, event) => {
    expect(tell([text("a"), event]).chunks.slice(4)).toEqual([
      { type: "text-end", id: "text-1" },
      { type: "message-metadata", messageMetadata: { error: "boom" } },
      { type: "error", errorText: "boom" },
    ]);
  });

  test("TR9 an error that names no turn ends none", () => {
    expect(briefs([create, { type: "error", message: "boom" }])).toEqual(BEGIN);
  });

  test("TR10 the rest of finalText goes on in the open block", () => {
    const finalize: LogPayload = { type: "message.finalize", turnId: TURN, reason: "end_turn", finalText: "abc" };
    expect(briefs([text("a"), finalize]).slice(2)).toEqual([
      "text-start",
      "text-delta a",
      "text-delta bc",
      "text-end",
      ...END,
    ]);
    expect(briefs([finalize]).slice(2)).toEqual(["text-start", "text-delta abc", "text-end", ...END]);
    expect(briefs([text("abc"), finalize]).slice(2)).toEqual(["text-start", "text-delta abc", "text-end", ...END]);
  });

  test("TR10 where finalText disagrees the stream stays as it was", () => {
    const finalize: LogPayload = { type: "message.finalize", turnId: TURN, reason: "end_turn", finalText: "xyz" };
    expect(briefs([text("a"), finalize]).slice(2)).toEqual(["text-start", "text-delta a", "text-end", ...END]);
  });

  test("TR14 nothing comes after the end", () => {
    const { state, chunks } = tell([create, endTurn, text("a"), canceled, tool("1", {}), { type: "mystery" }, create]);
    expect(chunks).toHaveLength(4);
    expect(phaseOf(state)).toBe("ended");
    expect(state.unknownEvents).toBe(0);
  });
});

describe("the rest", () => {
  test("TR11 a question is data under its own id, without its place in the log", () => {
    const question = { questionId: "q", turnId: TURN, kind: "text", prompt: "?" } as const;
    const logged: LogPayload = { type: "question", ...question, seq: 7, ts: 1 };
    expect(tell([create, logged]).chunks.at(-1)).toEqual({ type: "data-question", id: "q", data: question });
  });

  test("TR12 the agent's status is transient and starts nothing", () => {
    const status: LogPayload = { type: "agentStatus", turnId: TURN, status: "thinking" };
    expect(tell([status]).chunks).toEqual([
      { type: "data-agent-status", data: { status: "thinking" }, transient: true },
    ]);
    expect(briefs([text("a"), { ...status, detail: "x" }, text("b")]).slice(3)).toEqual([
      "text-delta a",
      "data-agent-status",
      "text-delta b",
    ]);
  });

  test("TR13 the form that text came in first is the one that counts", () => {
    const chunk: LogPayload = { type: "chunk", content: "c", messageId: TURN };
    expect(briefs([text("t"), chunk, text("u")]).slice(2)).toEqual(["text-start", "text-delta t", "text-delta u"]);
    expect(briefs([chunk, text("t"), { type: "chunk", content: "d" }]).slice(2)).toEqual([
      "text-start",
      "text-delta c",
      "text-delta d",
    ]);
    expect(briefs([create, { ...chunk, messageId: "turn-2" }])).toEqual(BEGIN);
  });

  test("TR15 other known types yield nothing", () => {
    const others: LogPayload[] = [
      { type: "title", title: "x" },
      { type: "ping" },
      { type: "git-state" },
      { type: "status", status: "running" },
      { type: "queue.state", items: [] },
    ];
    const { state, chunks } = tell([create, ...others]);
    expect(chunks).toHaveLength(2);
    expect(state.unknownEvents).toBe(0);
  });

  test("TR15 an unknown type yields nothing and is counted", () => {
    const { state, chunks } = tell([create, { type: "mystery" }, { type: "toString", turnId: TURN }]);
    expect(chunks).toHaveLength(2);
    expect(state.unknownEvents).toBe(2);
  });
});
