import { type AnyTextAdapter, chat, EventType, toolDefinition } from "@tanstack/ai";
import { describe, expect, test } from "vitest";
import { tanstackRuntime } from "../examples/tanstack-ai.ts";
import { createEventTransform } from "../src/event-transform.ts";
import { createRuntimeTransport } from "../src/runtime-transport.ts";
import { checkStream } from "../src/stream-checker.ts";
import { gather, request } from "./runs.ts";
import { APPROVING_SDKS } from "./sdks.ts";

type Theirs = { type: "says"; words: string } | { type: "done" };

describe("INP12 another vocabulary", () => {
  test("INP12 an event is stamped with its run, its time, and a node where it names none", () => {
    const transform = createEventTransform<Theirs>(
      () => ({
        says: ({ words }) => [{ type: "agent:text", text: words }],
        done: () => [{ type: "agent:complete", nodeId: "last" }],
      }),
      { nodeId: "one", now: () => 7 },
    );
    const run = transform("run-1");
    expect(run({ type: "says", words: "hi" })).toEqual([
      { type: "agent:text", text: "hi", nodeId: "one", runId: "run-1", timestamp: 7 },
    ]);
    expect(run({ type: "done" })).toMatchObject([{ nodeId: "last" }]);
  });

  test("INP12 each run has a mapping of its own", () => {
    const transform = createEventTransform<Theirs>(() => {
      let said = 0;
      return {
        says: () => {
          said += 1;
          return [];
        },
        done: () => [{ type: "agent:text", text: String(said) }],
      };
    });
    const [one, other] = [transform("1"), transform("2")];
    one({ type: "says", words: "" });
    expect(other({ type: "done" })).toMatchObject([{ text: "0" }]);
    expect(one({ type: "done" })).toMatchObject([{ text: "1" }]);
  });

  test.each(["sings", "constructor"])("INP12 %s, an event that a newer release brings, is reported", (type) => {
    const unknown: Theirs[] = [];
    const mapping = { says: () => [], done: () => [] };
    const transform = createEventTransform<Theirs>(() => mapping, { onUnknownEvent: (event) => unknown.push(event) });
    const event: Theirs = JSON.parse(JSON.stringify({ type }));
    expect(transform("1")(event)).toEqual([]);
    expect(unknown).toEqual([event]);
  });
});

describe("INP12 TanStack AI's agent loop through useChat's transport", () => {
  const add = toolDefinition({
    name: "add",
    description: "Adds two numbers",
    inputSchema: { type: "object", properties: { a: { type: "number" }, b: { type: "number" } } },
  });
  const adding = add.server((sum) => Number(Reflect.get(Object(sum), "a")) + Number(Reflect.get(Object(sum), "b")));
  const failing = add.server(() => {
    throw new Error("the abacus is broken");
  });
  const loop = (tool: typeof adding | typeof failing) =>
    tanstackRuntime((text, abortController) =>
      chat({
        adapter: new ScriptedModel(),
        messages: [{ role: "user", content: text }],
        tools: [tool],
        abortController,
      }),
    );

  test.each(APPROVING_SDKS)("INP12 thinking, a tool, text and usage, as SDK $name gathers them", async (sdk) => {
    const stream = await createRuntimeTransport(loop(adding)).sendMessages(request("1 + 2?"));
    const chunks = await gather(stream);
    expect(checkStream(chunks)).toEqual([]);
    const message = await sdk.gather(chunks);
    await sdk.validate([message]);
    expect(message).toMatchObject({
      metadata: { usage: { promptTokens: 2, completionTokens: 4, totalTokens: 6 } },
      parts: [
        { type: "data-flow-status", data: { status: "completed" } },
        { type: "step-start" },
        { type: "reasoning", text: "They want a sum." },
        { type: "dynamic-tool", toolName: "add", input: { a: 1, b: 2 }, output: 3, state: "output-available" },
        { type: "text", text: "It is 3." },
      ],
    });
  });

  test("INP12 a tool that fails", async () => {
    const stream = await createRuntimeTransport(loop(failing)).sendMessages(request("1 + 2?"));
    const chunks = await gather(stream);
    expect(chunks).toContainEqual(
      expect.objectContaining({ type: "tool-output-error", errorText: expect.stringContaining("abacus") }),
    );
    expect(chunks.at(-1)).toEqual({ type: "finish" });
  });
});

/** The loop is real; the model is a script that asks for a tool and then tells its result. */
class ScriptedModel implements AnyTextAdapter {
  readonly kind = "text";
  readonly name = "scripted";
  readonly model = "scripted";
  declare readonly "~types": AnyTextAdapter["~types"];

  async *chatStream({ messages }: { messages: readonly { role: string; content: unknown }[] }) {
    const ids = { threadId: "thread", runId: "run" };
    const usage = { promptTokens: 1, completionTokens: 2, totalTokens: 3 };
    const result = messages.findLast(({ role }) => role === "tool");
    yield { type: EventType.RUN_STARTED, ...ids } as const;
    if (result) {
      yield { type: EventType.TEXT_MESSAGE_START, messageId: "2", role: "assistant" } as const;
      yield { type: EventType.TEXT_MESSAGE_CONTENT, messageId: "2", delta: `It is ${result.content}.` } as const;
      yield { type: EventType.TEXT_MESSAGE_END, messageId: "2" } as const;
      yield { type: EventType.RUN_FINISHED, ...ids, finishReason: "stop", usage } as const;
      return;
    }
    yield { type: EventType.REASONING_MESSAGE_START, messageId: "1", role: "reasoning" } as const;
    yield { type: EventType.REASONING_MESSAGE_CONTENT, messageId: "1", delta: "They want a sum." } as const;
    yield { type: EventType.REASONING_MESSAGE_END, messageId: "1" } as const;
    yield { type: "TOOL_CALL_START", toolCallId: "call", toolCallName: "add" } as const;
    yield { type: EventType.TOOL_CALL_ARGS, toolCallId: "call", delta: '{"a":1,"b":2}' } as const;
    yield { type: "TOOL_CALL_END", toolCallId: "call" } as const;
    yield { type: EventType.RUN_FINISHED, ...ids, finishReason: "tool_calls", usage } as const;
  }

  async structuredOutput(): Promise<never> {
    throw new Error("not asked for");
  }
}
