import type { TextStreamPart, ToolSet } from "ai";
import { describe, expect, test } from "vitest";
import { decide } from "../src/agents/ai-sdk/approval-policy.ts";
import { AiSdkToV2 } from "../src/agents/ai-sdk-to-v2.ts";
import { modelOutput } from "../src/agents/mcp/model-output.ts";

type Part = TextStreamPart<ToolSet>;

const totalUsage = { inputTokens: 3, outputTokens: 4, totalTokens: 7 };

function map(parts: object[], maxSteps = 25) {
  const mapper = new AiSdkToV2(maxSteps);
  return parts.flatMap((part) => mapper.events(part as Part));
}

const finish = (finishReason: string) => ({ type: "finish", finishReason, totalUsage });

describe("AIS1: the loop's stream as events", () => {
  test("text, reasoning, a tool and a second step", () => {
    const events = map([
      { type: "start" },
      { type: "start-step" },
      { type: "reasoning-delta", id: "r", text: "Hm." },
      { type: "text-delta", id: "t", text: "Let me see." },
      { type: "tool-input-start", id: "c", toolName: "sum" },
      { type: "tool-call", toolCallId: "c", toolName: "sum", input: { a: 1 } },
      { type: "tool-result", toolCallId: "c", toolName: "sum", input: { a: 1 }, output: { content: [] } },
      { type: "finish-step" },
      { type: "start-step" },
      { type: "text-delta", id: "t", text: "Two." },
      finish("stop"),
    ]);
    expect(events).toEqual([
      { type: "message.part.reasoning-delta", delta: "Hm." },
      { type: "message.part.text-delta", delta: "Let me see." },
      { type: "message.part.tool-update", callId: "c", toolName: "sum", status: "pending" },
      { type: "message.part.tool-update", callId: "c", toolName: "sum", status: "running", args: { a: 1 } },
      { type: "message.part.tool-update", callId: "c", toolName: "sum", status: "completed", result: { content: [] } },
      { type: "message.step" },
      { type: "message.part.text-delta", delta: "Two." },
      { type: "message.finalize", reason: "end_turn", usage: totalUsage },
    ]);
  });

  test("AIS2: an MCP result stays whole, an error too", () => {
    const whole = {
      content: [
        { type: "resource", resource: { uri: "ui://chart", mimeType: "text/html", text: "<b>" }, _meta: { a: 1 } },
      ],
      structuredContent: { temperature: 20 },
      _meta: { "ui/resourceUri": "ui://chart" },
    };
    const call = { type: "tool-result", toolCallId: "c", toolName: "t", input: {} };
    const failed = { ...whole, content: [{ type: "text", text: "No." }], isError: true };
    expect(map([{ ...call, output: whole }])).toMatchObject([{ status: "completed", result: whole }]);
    expect(map([{ ...call, output: failed }])).toMatchObject([{ status: "error", error: "No.", result: failed }]);
  });

  test("AIS4: a loop that was stopped in the middle says so", () => {
    const steps = [{ type: "start-step" }, { type: "start-step" }];
    expect(map([...steps, finish("tool-calls")], 2).at(-1)).toMatchObject({
      reason: "error",
      error: /limit of 2 steps/,
    });
    expect(map([finish("length")]).at(-1)).toMatchObject({ reason: "error" });
  });

  test("a failing tool does not fail the turn, a failing model does", () => {
    const failed = { type: "tool-error", toolCallId: "c", toolName: "t", input: {}, error: new Error("Broken.") };
    expect(map([failed])).toMatchObject([{ status: "error", error: "Broken." }]);
    expect(() => map([{ type: "error", error: new Error("No credit.") }])).toThrow("No credit.");
  });
});

describe("AIS3: which tools run", () => {
  const approvals = {
    default: "ask" as const,
    readOnly: "allow" as const,
    tools: { "files_*": "deny" as const, files_read: "allow" as const, "web_*": "ask" as const },
  };

  test.each([
    ["other_write", false, "ask"],
    ["other_read", true, "allow"],
    ["files_write", true, "deny"],
    ["files_read", false, "allow"],
    ["web_get", true, "ask"],
  ])("%s, read-only %s: %s", (name, isReadOnly, decision) => {
    expect(decide(approvals, { name, isReadOnly, isOurs: false })).toBe(decision);
  });

  test("the runner's own tools run, unless the host says otherwise", () => {
    expect(decide(approvals, { name: "agent_ops_ask_user", isReadOnly: false, isOurs: true })).toBe("allow");
    expect(decide(approvals, { name: "files_ask_user", isReadOnly: false, isOurs: true })).toBe("deny");
  });
});

test("AIS2: a model reads texts and images, and nothing of what is meant for screens", () => {
  const content = [
    { type: "text", text: "Hello" },
    { type: "image", data: "AAAA", mimeType: "image/png" },
    { type: "resource_link", uri: "file:///a", name: "a", _meta: { secret: 1 } },
  ];
  expect(modelOutput({ content, _meta: { secret: 1 } })).toEqual({
    type: "content",
    value: [
      { type: "text", text: "Hello" },
      { type: "file", mediaType: "image/png", data: { type: "data", data: "AAAA" } },
      { type: "text", text: '{"type":"resource_link","uri":"file:///a","name":"a"}' },
    ],
  });
  expect(modelOutput({ content: [{ type: "text", text: "No." }], isError: true })).toEqual({
    type: "error-text",
    value: "No.",
  });
});
