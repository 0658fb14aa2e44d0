import type { UIChunk } from "@agent-ops/shared/ai-sdk";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { RuntimeEvent } from "../src/runtime-events.ts";
import { createRuntimeTransport } from "../src/runtime-transport.ts";
import { checkStream } from "../src/stream-checker.ts";
import { eventOf, gather, request, ScriptedRuntime } from "./runs.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

class Broken extends ScriptedRuntime {
  readonly #how: "listening" | "dispatching" | "later" | "silent";

  constructor(how: "listening" | "dispatching" | "later" | "silent") {
    super();
    this.#how = how;
  }

  override onEvent(listener: (event: RuntimeEvent) => void): () => void {
    if (this.#how === "listening") throw new Error("Runtime not started");
    return super.onEvent(listener);
  }

  override dispatch(command: Parameters<ScriptedRuntime["dispatch"]>[0]): unknown {
    super.dispatch(command);
    if (this.#how === "dispatching") throw new Error("Runtime not started");
    return this.#how === "later" ? Promise.reject(new Error("queue full")) : undefined;
  }
}

async function failed(stream: ReadableStream<UIChunk>): Promise<string> {
  const chunks = await gather(stream);
  const last = chunks.at(-1);
  expect(checkStream(chunks)).toEqual([]);
  if (last?.type !== "error") throw new Error(`The stream ended with ${last?.type}.`);
  expect(chunks.at(-2)).toEqual({ type: "message-metadata", messageMetadata: { error: last.errorText } });
  return last.errorText;
}

describe("INP9 what goes wrong is said, once, and leaves nothing behind", () => {
  test.each([
    ["listening", "The agent runtime cannot be listened to: Runtime not started"],
    ["dispatching", "The agent runtime did not take the message: Runtime not started"],
    ["later", "The agent runtime did not take the message: queue full"],
  ] as const)("INP9 a runtime that fails at %s", async (how, message) => {
    const runtime = new Broken(how);
    const transport = createRuntimeTransport(runtime);
    expect(await failed(await transport.sendMessages(request("hi")))).toBe(message);
    expect(await transport.reconnectToStream({ chatId: "chat-1" })).toBeNull();
    expect(runtime.listeners.size).toBe(0);
    expect(vi.getTimerCount()).toBe(0);
  });

  test("INP9 a run that its `dispatch` carries, and that breaks", async () => {
    class Carrying extends ScriptedRuntime {
      override async dispatch(command: Parameters<ScriptedRuntime["dispatch"]>[0]): Promise<void> {
        super.dispatch(command);
        await Promise.resolve();
        this.say([{ type: "agent:text:delta", delta: "so far" }]);
        throw new Error("out of memory");
      }
    }
    const stream = await createRuntimeTransport(new Carrying()).sendMessages(request("hi"));
    expect(await failed(stream)).toBe("The agent runtime failed: out of memory");
  });

  test("INP9 a runtime that was never started says nothing at all", async () => {
    const runtime = new Broken("silent");
    const stream = await createRuntimeTransport(runtime).sendMessages(request("hi"));
    vi.advanceTimersByTime(30_000);
    expect(await failed(stream)).toBe(
      "The agent runtime said nothing about this message for 30 s. Has it been started?",
    );
    expect(runtime.commands.map(({ type }) => type)).toEqual(["send", "abort"]);
    expect(runtime.listeners.size).toBe(0);
  });

  test("INP9 the first sign of the run ends that wait, and 0 is no wait at all", async () => {
    const runtime = new ScriptedRuntime();
    await createRuntimeTransport(runtime).sendMessages(request("hi"));
    runtime.say([{ type: "agent:start" }]);
    expect(vi.getTimerCount()).toBe(0);
    await createRuntimeTransport(runtime, { startTimeoutMs: 0 }).sendMessages(request("hi"));
    expect(vi.getTimerCount()).toBe(0);
  });

  test("INP9 a command function that throws", async () => {
    const command = () => {
      throw new Error("no node for this");
    };
    const stream = await createRuntimeTransport(new ScriptedRuntime(), { command }).sendMessages(request("hi"));
    expect(await failed(stream)).toBe("The agent runtime did not take the message: no node for this");
  });

  test("INP9 a chat without a message to send", async () => {
    const runtime = new ScriptedRuntime();
    const stream = await createRuntimeTransport(runtime).sendMessages({ ...request(""), messages: [] });
    expect(await failed(stream)).toBe("There is no message to send.");
    expect(runtime.commands).toEqual([]);
  });

  test("INP9 an event that cannot be shown ends its run and no other, and never reaches the runtime", async () => {
    const runtime = new ScriptedRuntime();
    const transport = createRuntimeTransport(runtime);
    const broken = await transport.sendMessages(request("one"));
    const runId = runtime.runId();
    const whole = await transport.sendMessages(request("two", { chatId: "chat-2" }));
    const event = { ...eventOf({ type: "agent:tool", toolName: "search" }, runId) };
    Object.defineProperty(event, "toolInput", {
      get() {
        throw new Error("gone");
      },
    });
    for (const listener of [...runtime.listeners]) expect(() => listener(event)).not.toThrow();
    runtime.say([{ type: "agent:complete" }]);
    expect(await failed(broken)).toBe("An event of the agent runtime could not be shown: gone");
    expect((await gather(whole)).at(-1)).toEqual({ type: "finish" });
  });

  test("INP9 a callback of ours that throws is reported, and the stream goes on", async () => {
    const report = vi.spyOn(console, "error").mockImplementation(() => {});
    const runtime = new ScriptedRuntime();
    const transport = createRuntimeTransport(runtime, {
      onUnknownEvent: () => {
        throw new Error("oops");
      },
    });
    const stream = await transport.sendMessages(request("hi"));
    expect(() => runtime.say([{ type: "flow:complete" }], "another run")).not.toThrow();
    runtime.say([{ type: "agent:complete" }]);
    expect((await gather(stream)).at(-1)).toEqual({ type: "finish" });
    expect(report).toHaveBeenCalledOnce();
  });

  test("INP9 another listener of the runtime that throws takes nothing from this one", async () => {
    const runtime = new ScriptedRuntime();
    const stream = await createRuntimeTransport(runtime).sendMessages(request("hi"));
    runtime.onEvent(() => {
      throw new Error("a listener of somebody else");
    });
    expect(() => runtime.say([{ type: "agent:complete" }])).toThrow("somebody else");
    expect((await gather(stream)).at(-1)).toEqual({ type: "finish" });
  });

  test("INP9 an abort that the runtime does not take is reported; the stream has ended all the same", async () => {
    const report = vi.spyOn(console, "error").mockImplementation(() => {});
    const runtime = new ScriptedRuntime();
    const transport = createRuntimeTransport(runtime);
    const stream = await transport.sendMessages(request("hi"));
    vi.spyOn(runtime, "dispatch").mockRejectedValue(new Error("busy"));
    transport.abort("chat-1");
    expect((await gather(stream)).at(-1)).toMatchObject({ type: "finish", messageMetadata: { canceled: true } });
    await vi.advanceTimersByTimeAsync(0);
    expect(report).toHaveBeenCalledOnce();
  });
});

describe("INP6 events that nothing is done with", () => {
  test("INP6 an event of a type we do not know, of an unknown run, and after the end", async () => {
    const runtime = new ScriptedRuntime();
    const unknown: [string, string][] = [];
    const transport = createRuntimeTransport(runtime, {
      onUnknownEvent: ({ type }, reason) => unknown.push([type, reason]),
    });
    const stream = await transport.sendMessages(request("hi"));
    const runId = runtime.runId();
    await transport.sendMessages(request("another that keeps listening", { chatId: "chat-2" }));
    const strange: RuntimeEvent = JSON.parse(JSON.stringify({ type: "agent:sings", runId, nodeId: "n", timestamp: 0 }));
    for (const listener of [...runtime.listeners]) listener(strange);
    runtime.say([{ type: "flow:start" }], "somebody else's run");
    runtime.say([{ type: "agent:error", error: "x" }, { type: "flow:complete" }], runId);
    const chunks = await gather(stream);
    expect(chunks.filter(({ type }) => type === "error" || type === "finish")).toHaveLength(1);
    expect(unknown).toEqual([
      ["agent:sings", "unknown-type"],
      ["flow:start", "unknown-run"],
      ["flow:complete", "unknown-run"],
    ]);
  });
});
