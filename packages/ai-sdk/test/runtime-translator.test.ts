import type { UIChunk } from "@agent-ops/shared/ai-sdk";
import { describe, expect, test } from "vitest";
import type { EventDraft } from "../src/event-transform.ts";
import { TOOL_FAILED } from "../src/tool-input.ts";
import { EVERYTHING, tellRun } from "./runs.ts";

/** What the last event adds to what the others had told. */
function added(before: EventDraft[], last: EventDraft, shown = EVERYTHING): UIChunk[] {
  return tellRun([...before, last], shown).chunks.slice(tellRun(before, shown).chunks.length);
}

const start: EventDraft = { type: "flow:start", flowName: "essay" };
const node: EventDraft = { type: "node:start", nodeId: "writer" };
const text = (delta: string, nodeId = "writer"): EventDraft => ({ type: "agent:text:delta", delta, nodeId });
const think = (delta: string): EventDraft => ({ type: "agent:thinking:delta", delta });
const open = [start, node, text("a")];

const status = (data: object): UIChunk => ({ type: "data-flow-status", id: "flow", data });
const server = { toolCallId: "run-1-tool-1", providerExecuted: true, dynamic: true } as const;
const END: UIChunk[] = [{ type: "text-end", id: "text-1" }, { type: "finish-step" }];

describe("INP2 what each event becomes", () => {
  test.each<[string, EventDraft[], EventDraft, UIChunk[]]>([
    [
      "flow:start",
      [],
      start,
      [{ type: "start", messageId: "run-1" }, status({ status: "running", flowName: "essay" })],
    ],
    ["node:start, the first", [start], node, [{ type: "start-step" }]],
    ["node:start", open, { type: "node:start", nodeId: "b" }, [...END, { type: "start-step" }]],
    [
      "agent:text:delta",
      [start, node],
      text("a"),
      [
        { type: "text-start", id: "text-1" },
        { type: "text-delta", id: "text-1", delta: "a" },
      ],
    ],
    ["agent:text:delta of an open text", open, text("b"), [{ type: "text-delta", id: "text-1", delta: "b" }]],
    [
      "agent:text",
      [start, node],
      { type: "agent:text", text: "whole" },
      [
        { type: "text-start", id: "text-1" },
        { type: "text-delta", id: "text-1", delta: "whole" },
      ],
    ],
    ["agent:text after its deltas", open, { type: "agent:text", text: "a" }, []],
    [
      "agent:thinking:delta",
      [start, node],
      think("hm"),
      [
        { type: "reasoning-start", id: "reasoning-1" },
        { type: "reasoning-delta", id: "reasoning-1", delta: "hm" },
      ],
    ],
    ["agent:thinking after its deltas", [start, node, think("hm")], { type: "agent:thinking", text: "hm" }, []],
    [
      "agent:tool",
      open,
      { type: "agent:tool", toolName: "search", toolInput: { q: 1 }, toolOutput: ["x"] },
      [
        { type: "text-end", id: "text-1" },
        { type: "tool-input-available", toolName: "search", input: { q: 1 }, ...server },
        { type: "tool-output-available", output: ["x"], ...server },
      ],
    ],
    [
      "agent:tool with an error",
      [start, node],
      { type: "agent:tool", toolName: "search", toolInput: 1, error: "offline" },
      [
        { type: "tool-input-available", toolName: "search", input: 1, ...server },
        { type: "tool-output-error", errorText: "offline", ...server },
      ],
    ],
    [
      "agent:tool with an error without words, and no input",
      [start, node],
      { type: "agent:tool", toolName: "search", error: { message: "" } },
      [
        { type: "tool-input-available", toolName: "search", input: null, ...server },
        { type: "tool-output-error", errorText: TOOL_FAILED, ...server },
      ],
    ],
    [
      "node:complete",
      open,
      { type: "node:complete", output: { words: 3 } },
      [
        { type: "text-end", id: "text-1" },
        { type: "data-node-output", data: { nodeId: "writer", output: { words: 3 } } },
      ],
    ],
    [
      "agent:complete",
      open,
      { type: "agent:complete", usage: { inputTokens: 2 }, cost: 0.5 },
      [
        { type: "text-end", id: "text-1" },
        { type: "message-metadata", messageMetadata: { usage: { inputTokens: 2 }, cost: 0.5 } },
      ],
    ],
    ["agent:complete without a flow", [text("a")], { type: "agent:complete" }, [...END, { type: "finish" }]],
    [
      "flow:complete",
      open,
      { type: "flow:complete" },
      [status({ status: "completed", flowName: "essay" }), ...END, { type: "finish" }],
    ],
    [
      "flow:complete with status failed",
      open,
      { type: "flow:complete", status: "failed", error: "no budget" },
      [
        status({ status: "failed", flowName: "essay" }),
        { type: "text-end", id: "text-1" },
        { type: "message-metadata", messageMetadata: { error: 'The flow "essay" failed: no budget' } },
        { type: "error", errorText: 'The flow "essay" failed: no budget' },
      ],
    ],
    ...(["flow:aborted", "agent:aborted"] as const).map((type): [string, EventDraft[], EventDraft, UIChunk[]] => [
      type,
      open,
      { type },
      [
        status({ status: "aborted", flowName: "essay" }),
        ...END,
        { type: "abort" },
        { type: "finish", messageMetadata: { canceled: true } },
      ],
    ]),
    ...(["node:error", "agent:error"] as const).map((type): [string, EventDraft[], EventDraft, UIChunk[]] => {
      const errorText = `The ${type === "node:error" ? "step" : "agent of"} "writer" failed: boom`;
      const failed = status({ status: "failed", flowName: "essay" });
      const metadata: UIChunk = { type: "message-metadata", messageMetadata: { error: errorText } };
      const chunks: UIChunk[] = [failed, { type: "text-end", id: "text-1" }, metadata, { type: "error", errorText }];
      return [type, open, { type, error: new Error("boom") }, chunks];
    }),
    [
      "flow:paused",
      open,
      { type: "flow:paused" },
      [{ type: "text-end", id: "text-1" }, status({ status: "paused", flowName: "essay" })],
    ],
    [
      "agent:paused",
      open,
      { type: "agent:paused", prompt: "Which one?" },
      [
        { type: "text-end", id: "text-1" },
        status({ status: "paused", flowName: "essay", nodeId: "writer", prompt: "Which one?" }),
      ],
    ],
    [
      "flow:resumed",
      [...open, { type: "flow:paused" }],
      { type: "flow:resumed" },
      [status({ status: "running", flowName: "essay" })],
    ],
    ["agent:start", open, { type: "agent:start" }, []],
    ["node:skipped", open, { type: "node:skipped" }, []],
    ["edge events", open, { type: "edge:taken" }, []],
    ["state events", open, { type: "state:changed" }, []],
  ])("INP2 %s", (_, before, last, chunks) => {
    expect(added(before, last)).toEqual(chunks);
  });

  test("INP2 a node is a step, with no step before the first", () => {
    const told = tellRun([start, node, { type: "node:start", nodeId: "b" }, { type: "flow:complete" }]).chunks;
    expect(told.filter(({ type }) => type === "start-step")).toHaveLength(2);
    expect(told.filter(({ type }) => type === "finish-step")).toHaveLength(2);
  });

  test("INP2 usage and cost are summed over the run's agents", () => {
    const told = tellRun([
      start,
      { type: "agent:complete", usage: { inputTokens: 2, cached: 1 }, cost: 0.5 },
      { type: "agent:complete", usage: { inputTokens: 3, outputTokens: 4 } },
    ]).chunks;
    const usage = { inputTokens: 5, cached: 1, outputTokens: 4 };
    expect(told.at(-1)).toEqual({ type: "message-metadata", messageMetadata: { usage, cost: 0.5 } });
  });

  test("INP2 what JSON cannot hold is told as it can", () => {
    const circle: Record<string, unknown> = {};
    circle.self = circle;
    const told = tellRun([{ type: "agent:tool", toolName: "t", toolInput: { n: 1n, f: () => 1 }, toolOutput: circle }]);
    expect(told.chunks.slice(-2)).toMatchObject([{ input: { n: "1" } }, { output: "[object Object]" }]);
    expect(Object.keys(Object(Object(told.chunks.at(-2)).input))).toEqual(["n"]);
  });

  test("INP2 what the runtime changes later is not changed in the message", () => {
    const output = { words: 3 };
    const { chunks } = tellRun([{ type: "node:complete", output }]);
    output.words = 4;
    expect(chunks.at(-1)).toMatchObject({ data: { output: { words: 3 } } });
  });
});

describe("INP3 texts", () => {
  test("INP3 a whole text counts again once the deltas before it were told", () => {
    const whole: EventDraft = { type: "agent:text", text: "b" };
    const told = tellRun([text("a"), { type: "agent:text", text: "a" }, whole]).chunks;
    expect(told.flatMap((chunk) => (chunk.type === "text-delta" ? [chunk.delta] : []))).toEqual(["a", "b"]);
  });

  test.each<EventDraft>([{ type: "agent:start" }, { type: "node:start" }, { type: "agent:complete" }])(
    "INP3 after $type a whole text is a new one",
    (event) => {
      const told = tellRun([start, text("a"), event, { type: "agent:text", text: "b" }]).chunks;
      expect(told.flatMap((chunk) => (chunk.type === "text-delta" ? [chunk.delta] : []))).toEqual(["a", "b"]);
    },
  );

  test("INP3 deltas of one node do not silence the whole text of another", () => {
    const told = tellRun([text("a", "one"), { type: "agent:text", text: "b", nodeId: "two" }]).chunks;
    expect(told.filter(({ type }) => type === "text-start")).toHaveLength(2);
  });

  test("INP3 two nodes never write in one block", () => {
    const told = tellRun([text("a", "one"), text("b", "two"), text("c", "one"), text("d", "one")]).chunks;
    const written = told.flatMap((chunk) => (chunk.type === "text-delta" ? [`${chunk.id} ${chunk.delta}`] : []));
    expect(written).toEqual(["text-1 a", "text-2 b", "text-3 c", "text-3 d"]);
  });

  test("INP3 an empty text leaves no part", () => {
    const told = tellRun([start, text(""), { type: "agent:text", text: "" }, { type: "flow:complete" }]).chunks;
    expect(told.some(({ type }) => type.startsWith("text"))).toBe(false);
  });
});

describe("INP4 options", () => {
  const run: EventDraft[] = [
    ...[start, node, think("hm"), text("a")],
    { type: "node:complete", output: 1 },
    { type: "node:start", nodeId: "b" },
    { type: "flow:complete" },
  ];
  const types = (shown: Partial<typeof EVERYTHING>) =>
    new Set(tellRun(run, { ...EVERYTHING, ...shown }).chunks.map(({ type }) => type));

  test("INP4 without reasoning", () => {
    expect([...types({ reasoning: false })].some((type) => type.startsWith("reasoning"))).toBe(false);
    expect(types({ reasoning: false })).toContain("text-delta");
  });

  test("INP4 without steps the message has one", () => {
    const told = tellRun(run, { ...EVERYTHING, steps: false }).chunks;
    expect(told.filter(({ type }) => type === "start-step")).toHaveLength(1);
  });

  test("INP4 without one data part or the other", () => {
    expect(types({ flowStatus: false })).not.toContain("data-flow-status");
    expect(types({ flowStatus: false })).toContain("data-node-output");
    expect(types({ nodeOutput: false })).not.toContain("data-node-output");
  });
});

describe("INP5 pauses", () => {
  const asked: EventDraft[] = [start, node, { type: "agent:paused", prompt: "?", promptId: "p" }];

  test("INP5 the flow's own pause keeps what its agent asked", () => {
    expect(tellRun([...asked, { type: "flow:paused" }]).state.pause).toEqual({
      nodeId: "writer",
      prompt: "?",
      promptId: "p",
    });
  });

  test("INP5 an agent that asks after its flow has paused is heard", () => {
    const told = tellRun([start, { type: "flow:paused" }, { type: "agent:paused", prompt: "?" }]);
    expect(told.chunks.at(-1)).toMatchObject({ data: { status: "paused", prompt: "?" } });
  });

  test("INP5 a node that works again is not paused any more, and the status says so", () => {
    const told = tellRun([...asked, text("b")]);
    expect(told.state.pause).toBeUndefined();
    expect(told.chunks).toContainEqual(status({ status: "running", flowName: "essay" }));
  });

  test("INP5 what other nodes do meanwhile leaves the question open", () => {
    const told = tellRun([...asked, text("b", "other"), { type: "node:skipped" }]);
    expect(told.state.pause?.prompt).toBe("?");
    expect(tellRun([start, { type: "flow:paused" }, text("b", "other")]).state.pause).toBeUndefined();
  });
});

test("INP6 after the end nothing is told", () => {
  const ended = [...open, { type: "agent:error", error: "x" } as const];
  for (const late of [...open, { type: "flow:complete", status: "failed" } as const, { type: "flow:aborted" } as const])
    expect(added(ended, late)).toEqual([]);
});
