import type { StreamChunk } from "@agent-ops/ai-sdk/stream-checker";
import { describe, expect, test } from "vitest";
import type { CheckId } from "../src/catalogue.ts";
import { checkOrder } from "../src/checks/order.ts";
import type { Verdict } from "../src/verdict.ts";
import { view } from "./support/recordings.ts";

const start = { type: "start", messageId: "m" };
const step = { type: "start-step" };
const end = [{ type: "finish-step" }, { type: "finish" }];
const open = { type: "text-start", id: "1" };
const delta = { type: "text-delta", id: "1", delta: "a" };
const close = { type: "text-end", id: "1" };
const input = { type: "tool-input-available", toolCallId: "c", toolName: "bash", input: {} };
const output = { type: "tool-output-available", toolCallId: "c", output: 1 };
const error = { type: "error", errorText: "no" };

type Case = [what: string, id: CheckId, status: Verdict["status"], chunks: StreamChunk[]];

/** Everything that one stream is blamed for. */
function blamed(chunks: StreamChunk[]): Record<string, string> {
  const verdicts = Object.entries(checkOrder([view(chunks)]));
  return Object.fromEntries(
    verdicts.filter(([, verdict]) => verdict.status !== "passed").map(([id, verdict]) => [id, verdict.status]),
  );
}

describe("what the SDK's own servers do is no fault", () => {
  test.each<[string, StreamChunk[]]>([
    ["no steps", [start, open, delta, close, { type: "finish" }]],
    ["text that is closed late", [start, step, open, delta, input, output, close, ...end]],
    ["a source in the middle of text", [start, step, open, { type: "source-url" }, delta, close, ...end]],
    ["a tool that the client executes", [start, step, input, ...end]],
    ["text open at an error", [start, step, open, delta, error]],
    [
      "a tool that waits for an approval",
      [start, step, input, { type: "tool-approval-request", toolCallId: "c" }, ...end],
    ],
  ])("%s", (_, chunks) => {
    expect(blamed(chunks)).toEqual({});
  });
});

describe("faults are graded by what they do to clients", () => {
  test.each<Case>([
    ["no start", "order.start", "warned", [step, open, close, ...end]],
    ["content before start", "order.start", "failed", [step, start, ...end]],
    ["the same start again", "order.start", "warned", [start, start, step, ...end]],
    ["a start under another id", "order.start", "failed", [start, { type: "start", messageId: "n" }, step, ...end]],
    ["an end without a start", "order.blocks", "failed", [start, step, close, ...end]],
    ["a delta after the end", "order.blocks", "failed", [start, step, open, close, delta, ...end]],
    ["a block started twice", "order.open-blocks", "failed", [start, step, open, open, close, ...end]],
    [
      "text that goes on behind a tool",
      "order.open-blocks",
      "warned",
      [start, step, open, input, output, delta, close, ...end],
    ],
    ["text open at finish", "order.open-blocks", "failed", [start, open, { type: "finish" }]],
    ["an unknown call", "order.tools", "failed", [start, step, output, ...end]],
    ["a second output", "order.tools", "warned", [start, step, input, output, output, ...end]],
    [
      "an input delta for a call without a start",
      "order.tools",
      "failed",
      [start, step, input, { type: "tool-input-delta", toolCallId: "c" }, output, ...end],
    ],
    [
      "an input that never ended",
      "order.open-tools",
      "failed",
      [start, step, { type: "tool-input-start", toolCallId: "c" }, ...end],
    ],
    [
      "only a preliminary output",
      "order.open-tools",
      "failed",
      [start, step, input, { ...output, preliminary: true }, ...end],
    ],
    ["a step in a step", "order.steps", "warned", [start, step, step, ...end]],
    [
      "text between steps",
      "order.steps",
      "warned",
      [start, step, { type: "finish-step" }, open, close, { type: "finish" }],
    ],
  ])("%s", (_, id, status, chunks) => {
    expect(blamed(chunks)).toEqual({ [id]: status });
  });
});
