import { describe, expect, test } from "vitest";
import { checkStream, type ProblemCode, type StreamChunk } from "../src/stream-checker.ts";

const start = { type: "start", messageId: "m" };
const startStep = { type: "start-step" };
const finishStep = { type: "finish-step" };
const finish = { type: "finish" };
const begin = [start, startStep];
const end = [finishStep, finish];
const textStart = { type: "text-start", id: "1" };
const textDelta = { type: "text-delta", id: "1", delta: "a" };
const textEnd = { type: "text-end", id: "1" };
const input = { type: "tool-input-available", toolCallId: "c", toolName: "bash", input: {} };
const output = { type: "tool-output-available", toolCallId: "c", output: 1 };
const ask = { type: "tool-approval-request", approvalId: "a", toolCallId: "c" };
const suspend = [ask, finishStep, { type: "finish", finishReason: "tool-calls" }];
const sign = { type: "data-agent-status", data: {}, transient: true };

describe("TR14 sound streams", () => {
  test.each<[string, StreamChunk[]]>([
    ["text", [sign, ...begin, textStart, textDelta, sign, textDelta, textEnd, ...end]],
    ["a tool", [...begin, input, { ...output, preliminary: true }, output, ...end]],
    ["an error", [...begin, textStart, textEnd, { type: "error", errorText: "no" }]],
    ["a suspended one", [...begin, input, ...suspend]],
    ["a whole message with an approval", [...begin, input, ...suspend, start, output, startStep, ...end]],
  ])("TR14 %s", (_, chunks) => {
    expect(checkStream(chunks)).toEqual([]);
  });

  test("TR14 a stream that takes a message up knows its calls", () => {
    expect(checkStream([start, output, finish], [...begin, input, ...suspend])).toEqual([]);
    expect(checkStream([start, output, finish])).toMatchObject([{ index: 1, code: "tool" }]);
  });
});

describe("TR14 what clients choke on", () => {
  test.each<[string, ProblemCode, number, StreamChunk[]]>([
    ["nothing at all", "no-end", 0, []],
    ["no end", "no-end", 2, begin],
    ["no start", "start", 0, [startStep, start, ...end]],
    ["a second start", "start", 2, [...begin, start, ...end]],
    ["another message", "start", 6, [...begin, input, ...suspend, { ...start, messageId: "n" }, output, finish]],
    ["a delta without a start", "block", 2, [...begin, textDelta, ...end]],
    ["a delta after the end of its block", "block", 4, [...begin, textStart, textEnd, textDelta, ...end]],
    ["a block started twice", "open-block", 3, [...begin, textStart, textStart, textEnd, ...end]],
    ["a block open at a tool", "open-block", 3, [...begin, textStart, input, textEnd, output, ...end]],
    [
      "a block open at the end of a step",
      "open-block",
      3,
      [...begin, textStart, finishStep, startStep, textEnd, ...end],
    ],
    ["a step in a step", "step", 2, [...begin, startStep, ...end]],
    ["the end of no step", "step", 3, [...begin, ...[finishStep, finishStep], finish]],
    ["a step open at the end", "step", 2, [...begin, finish]],
    ["text outside a step", "outside-step", 1, [start, textStart, textEnd, finish]],
    ["an output without an input", "tool", 2, [...begin, output, ...end]],
    ["a second output", "tool", 4, [...begin, input, output, output, ...end]],
    ["an input after the output", "tool", 4, [...begin, input, output, input, output, ...end]],
    ["an input in a later step", "tool", 5, [...begin, input, finishStep, startStep, input, output, ...end]],
    ["an input delta without a start", "tool", 2, [...begin, { type: "tool-input-delta", toolCallId: "c" }, ...end]],
    ["a partial output as the last", "open-tool", 5, [...begin, input, { ...output, preliminary: true }, ...end]],
    ["a call without an end", "open-tool", 4, [...begin, input, ...end]],
    ["a call beside an approval", "open-tool", 6, [...begin, input, { ...input, toolCallId: "d" }, ...suspend]],
    ["anything after finish", "after-end", 4, [...begin, ...end, sign]],
    ["anything after error", "after-end", 3, [...begin, { type: "error", errorText: "no" }, { type: "abort" }]],
  ])("TR14 %s", (_, code, index, chunks) => {
    expect(checkStream(chunks)).toContainEqual({ index, code, message: expect.any(String) });
  });
});
