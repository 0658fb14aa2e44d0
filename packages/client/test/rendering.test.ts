import type { UIMessage } from "ai";
import { expect, test, vi } from "vitest";
import { describeError, refused } from "../src/lib/api-error.ts";
import { contentOf, fieldsOf } from "../src/lib/form-fields.ts";
import { createGather } from "../src/lib/gather.ts";
import { partsOf, questionsOf } from "../src/lib/ui-message-parts.ts";

const asked = { questionId: "q1", turnId: "t1", kind: "choice", prompt: "Which?" } as const;

test("a message of useChat becomes the parts that the page renders", () => {
  const message: UIMessage = {
    id: "t1",
    role: "assistant",
    metadata: { canceled: true },
    parts: [
      { type: "step-start" },
      { type: "reasoning", text: "Hm.", state: "done" },
      { type: "text", text: "" },
      { type: "text", text: "Let me see", state: "streaming" },
      {
        type: "dynamic-tool",
        toolName: "list",
        toolCallId: "c1",
        state: "output-available",
        input: { a: 1 },
        output: 7,
        preliminary: true,
      },
      { type: "dynamic-tool", toolName: "list", toolCallId: "c2", state: "output-error", input: {}, errorText: "No." },
      { type: "data-question", id: "q1", data: asked },
      { type: "data-elsewhere", data: {} },
    ],
  };
  expect(partsOf(message)).toEqual([
    { type: "reasoning", text: "Hm.", streaming: false },
    { type: "text", text: "Let me see", streaming: true },
    {
      type: "tool-call",
      callId: "c1",
      toolName: "list",
      status: "running",
      args: { a: 1 },
      result: 7,
      preliminary: true,
    },
    { type: "tool-call", callId: "c2", toolName: "list", status: "error", args: {}, error: "No.", preliminary: false },
    { type: "question", questionId: "q1" },
    { type: "finish", reason: "canceled" },
  ]);
  expect(questionsOf(message)).toEqual([asked]);
});

test("a form is read back in the types of its schema", () => {
  const fields = fieldsOf({
    type: "object",
    required: ["name"],
    properties: {
      name: { type: "string", title: "Name" },
      replicas: { type: "integer", default: 2 },
      size: { type: "number", enum: [1, 2.5] },
      dry: { type: "boolean" },
      note: { type: "string" },
    },
  });
  expect(fields?.map(({ label, kind, required, initial }) => [label, kind, required, initial])).toEqual([
    ["Name", "string", true, undefined],
    ["replicas", "integer", false, "2"],
    ["size", "choice", false, undefined],
    ["dry", "boolean", false, undefined],
    ["note", "string", false, undefined],
  ]);
  const form = new FormData();
  form.set("name", "web");
  form.set("replicas", "3");
  form.set("size", "2.5");
  form.set("note", "");
  expect(contentOf(fields ?? [], form)).toEqual({ name: "web", replicas: 3, size: 2.5, dry: false });
  expect(fieldsOf({ properties: { nested: { type: "object" } } })).toBeUndefined();
});

test("errors are told in the server's words", () => {
  const body = JSON.stringify({ code: "queue_full", message: "The queue is full." });
  expect(refused(429, body)).toMatchObject({ status: 429, code: "queue_full", message: "The queue is full." });
  expect(refused(502, "<html>").message).toBe("The server answered with status 502.");
  expect(describeError(new Error(body))).toBe("The queue is full.");
  expect(describeError(new Error("Plain."))).toBe("Plain.");
});

test("a flood is handed on once per interval, in order, and the first of it at once", () => {
  vi.useFakeTimers();
  const flushed: number[][] = [];
  const gather = createGather<number>((items) => flushed.push(items), 16);
  gather([1]);
  gather([2]);
  gather([3, 4]);
  expect(flushed).toEqual([[1]]);
  vi.advanceTimersByTime(16);
  gather([5]);
  vi.advanceTimersByTime(100);
  gather([6]);
  expect(flushed).toEqual([[1], [2, 3, 4], [5], [6]]);
  vi.useRealTimers();
});
