import { describe, expect, test, vi } from "vitest";
import { ChunkLog } from "../src/chunk-log.ts";
import { createRuntimeTransport } from "../src/runtime-transport.ts";
import { gather, request, ScriptedRuntime } from "./runs.ts";

vi.setConfig({ testTimeout: 60_000 });

const WORD = "word ";

/** 1,000 tools, and before each ten deltas of text. */
function work(runtime: ScriptedRuntime): void {
  const runId = runtime.runId();
  runtime.say([{ type: "flow:start" }, { type: "node:start" }], runId);
  for (let tool = 0; tool < 1000; tool += 1) {
    for (let delta = 0; delta < 10; delta += 1) runtime.say([{ type: "agent:text:delta", delta: WORD }], runId);
    runtime.say([{ type: "agent:tool", toolName: "search", toolInput: { tool }, toolOutput: "found" }], runId);
  }
}

describe("INP11 a long run takes the room of its message", () => {
  test("INP11 10,000 deltas and 1,000 tools: what is kept for readers has one delta a block", async () => {
    const runtime = new ScriptedRuntime();
    const transport = createRuntimeTransport(runtime);
    const stream = await transport.sendMessages(request("hi"));
    work(runtime);
    const replay = await transport.reconnectToStream({ chatId: "chat-1" });
    runtime.say([{ type: "flow:complete" }]);
    const [first, second] = await Promise.all([gather(stream), gather(replay ?? new ReadableStream())]);
    const perTool = ["text-start", "text-delta", "text-end", "tool-input-available", "tool-output-available"].length;
    const frame = ["start", "data-flow-status", "start-step", "data-flow-status", "finish-step", "finish"].length;
    for (const chunks of [first, second]) {
      expect(chunks).toHaveLength(1000 * perTool + frame);
      const text = chunks.flatMap((chunk) => (chunk.type === "text-delta" ? [chunk.delta] : [])).join("");
      expect(text).toBe(WORD.repeat(10_000));
    }
    expect(runtime.listeners.size).toBe(0);
    expect(await transport.reconnectToStream({ chatId: "chat-1" })).toBeNull();
  });

  test("INP11 a reader that keeps up gets every delta as it comes", async () => {
    const runtime = new ScriptedRuntime();
    const stream = await createRuntimeTransport(runtime).sendMessages(request("hi"));
    const reader = stream.getReader();
    runtime.say([{ type: "agent:text:delta", delta: "0" }]);
    const types = [await reader.read(), await reader.read(), await reader.read()].map(({ value }) => value?.type);
    expect(types).toEqual(["start", "start-step", "text-start"]);
    for (let count = 0; count < 1000; count += 1) {
      expect((await reader.read()).value).toEqual({ type: "text-delta", id: "text-1", delta: String(count) });
      runtime.say([{ type: "agent:text:delta", delta: String(count + 1) }]);
    }
  });

  test("INP11 10,000 deltas of one text are a few pieces, and none of them is lost", async () => {
    const log = new ChunkLog();
    for (let count = 0; count < 10_000; count += 1) log.append([{ type: "text-delta", id: "text-1", delta: WORD }]);
    expect(log.entries).toHaveLength(4);
    const { stream, leave } = log.read();
    leave([]);
    const chunks = await gather(stream);
    expect(chunks.map((chunk) => ("delta" in chunk ? chunk.delta : "")).join("")).toBe(WORD.repeat(10_000));
  });

  test("INP11 1,000 ended runs: nothing is subscribed, and their signal reaches nobody", async () => {
    const runtime = new ScriptedRuntime();
    const transport = createRuntimeTransport(runtime);
    const abort = new AbortController();
    for (let run = 0; run < 1000; run += 1) {
      const stream = await transport.sendMessages(request("hi", { chatId: `chat-${run}`, abortSignal: abort.signal }));
      expect(runtime.listeners.size).toBe(1);
      runtime.say([{ type: "agent:complete" }]);
      await gather(stream);
      expect(runtime.listeners.size).toBe(0);
    }
    abort.abort();
    transport.close();
    expect(runtime.commands.every(({ type }) => type === "send")).toBe(true);
  });
});
