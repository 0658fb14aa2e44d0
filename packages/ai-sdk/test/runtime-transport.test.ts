import type { UIChunk } from "@agent-ops/shared/ai-sdk";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { EventDraft } from "../src/event-transform.ts";
import { createRuntimeTransport } from "../src/runtime-transport.ts";
import { checkStream } from "../src/stream-checker.ts";
import { gather, request, ScriptedRuntime, userMessage } from "./runs.ts";

const text = (delta: string): EventDraft => ({ type: "agent:text:delta", delta });
const start: EventDraft = { type: "flow:start", flowName: "essay" };
const complete: EventDraft = { type: "flow:complete" };

const textsOf = (chunks: readonly UIChunk[]) =>
  chunks.flatMap((chunk) => (chunk.type === "text-delta" ? [chunk.delta] : [])).join("");
const typesOf = (chunks: readonly UIChunk[]) => chunks.map(({ type }) => type);

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe("INP1 sending", () => {
  test("INP1 the last user message is sent, and the run's events are the stream", async () => {
    const runtime = new ScriptedRuntime();
    const transport = createRuntimeTransport(runtime);
    const messages = [
      userMessage("before", "1"),
      { id: "2", role: "assistant", parts: [] },
      { id: "3", role: "user", parts: [{ type: "file" }, ...userMessage("now").parts] },
    ];
    const stream = await transport.sendMessages({ ...request(""), messages });
    const runId = runtime.runId();
    expect(runtime.commands).toEqual([
      { type: "send", runId, chatId: "chat-1", trigger: "submit-message", text: "now", message: messages[2] },
    ]);
    runtime.say([start, text("a"), text("b"), complete]);
    const chunks = await gather(stream);
    expect(checkStream(chunks)).toEqual([]);
    expect(chunks[0]).toEqual({ type: "start", messageId: runId });
    expect(textsOf(chunks)).toBe("ab");
    expect(runtime.listeners.size).toBe(0);
  });

  test("INP1 a runtime that answers before `dispatch` returns is heard", async () => {
    class Hasty extends ScriptedRuntime {
      override dispatch(command: Parameters<ScriptedRuntime["dispatch"]>[0]): void {
        super.dispatch(command);
        this.say([text("at once"), { type: "agent:complete" }]);
      }
    }
    const stream = await createRuntimeTransport(new Hasty()).sendMessages(request("hi"));
    expect(textsOf(await gather(stream))).toBe("at once");
  });

  test("INP1 a regenerate or an edit sends again and stops the run it replaces", async () => {
    const runtime = new ScriptedRuntime();
    const transport = createRuntimeTransport(runtime);
    const streams = [await transport.sendMessages(request("hi"))];
    streams.push(await transport.sendMessages({ ...request("hi"), trigger: "regenerate-message" }));
    streams.push(await transport.sendMessages({ ...request("hi!"), messageId: "message-1" }));
    runtime.say([complete]);
    const [first, second, third] = runtime.commands.filter(({ type }) => type === "send").map(({ runId }) => runId);
    expect(runtime.commands.map(({ type, runId }) => [type, runId])).toEqual([
      ["send", first],
      ["abort", first],
      ["send", second],
      ["abort", second],
      ["send", third],
    ]);
    const ends = await Promise.all(streams.map(async (stream) => (await gather(stream)).at(-1)));
    const canceled = { type: "finish", messageMetadata: { canceled: true } };
    expect(ends).toEqual([canceled, canceled, { type: "finish" }]);
  });

  test("INP1 a message sent while a run works starts another one beside it", async () => {
    const runtime = new ScriptedRuntime();
    const transport = createRuntimeTransport(runtime);
    const one = await transport.sendMessages(request("one"));
    const first = runtime.runId();
    const two = await transport.sendMessages(request("two"));
    runtime.say([text("2"), { type: "agent:complete" }]);
    runtime.say([text("1"), { type: "agent:complete" }], first);
    expect([textsOf(await gather(one)), textsOf(await gather(two))]).toEqual(["1", "2"]);
  });

  test("INP4 the command can be made from the message", async () => {
    const runtime = new ScriptedRuntime();
    const transport = createRuntimeTransport(runtime, {
      command: (draft, { chatId, body }) => ({ ...draft, text: `${chatId}: ${draft.text}`, ...body }),
    });
    await transport.sendMessages({ ...request("hi"), body: { nodeId: "researcher" } });
    expect(runtime.commands).toMatchObject([{ type: "send", text: "chat-1: hi", nodeId: "researcher" }]);
  });
});

describe("INP7 reconnecting", () => {
  test("INP7 a run that is going is told from its start, deltas that came already as one", async () => {
    const runtime = new ScriptedRuntime();
    const transport = createRuntimeTransport(runtime);
    const first = await transport.sendMessages(request("hi"));
    runtime.say([start, text("a"), text("b")]);
    const second = await transport.reconnectToStream({ chatId: "chat-1" });
    runtime.say([text("c"), complete]);
    const [one, two] = await Promise.all([gather(first), gather(second ?? new ReadableStream())]);
    expect(checkStream(two)).toEqual([]);
    expect(two[0]).toEqual(one[0]);
    expect(textsOf(two)).toBe("abc");
    expect(textsOf(two)).toBe(textsOf(one));
  });

  test("INP7 there is nothing to go on with in a chat without a run, or whose run has ended", async () => {
    const runtime = new ScriptedRuntime();
    const transport = createRuntimeTransport(runtime);
    await transport.sendMessages(request("hi"));
    expect(await transport.reconnectToStream({ chatId: "other" })).toBeNull();
    runtime.say([complete]);
    expect(await transport.reconnectToStream({ chatId: "chat-1" })).toBeNull();
    expect(transport.resumeStreamIsReplay).toBe(true);
  });

  test("INP7 a reader that cancels its stream leaves the run to others", async () => {
    const runtime = new ScriptedRuntime();
    const transport = createRuntimeTransport(runtime);
    await (await transport.sendMessages(request("hi"))).cancel();
    runtime.say([text("a")]);
    const again = await transport.reconnectToStream({ chatId: "chat-1" });
    runtime.say([{ type: "agent:complete" }]);
    expect(textsOf(await gather(again ?? new ReadableStream()))).toBe("a");
  });
});

describe("INP8 aborting", () => {
  async function running(graceMs?: number) {
    const runtime = new ScriptedRuntime();
    const transport = createRuntimeTransport(runtime, { graceMs });
    const abort = new AbortController();
    const stream = await transport.sendMessages(request("hi", { abortSignal: abort.signal }));
    return { runtime, transport, abort, stream };
  }

  test("INP8 the signal ends the stream as canceled, and the next task tells the runtime", async () => {
    const { runtime, abort, stream } = await running();
    runtime.say([start, text("a")]);
    abort.abort();
    const chunks = await gather(stream);
    expect(checkStream(chunks)).toEqual([]);
    expect(chunks.slice(-2)).toEqual([{ type: "abort" }, { type: "finish", messageMetadata: { canceled: true } }]);
    vi.advanceTimersByTime(0);
    expect(runtime.commands.at(-1)).toEqual({ type: "abort", runId: runtime.commands[0]?.runId });
    expect(runtime.listeners.size).toBe(0);
  });

  test("INP8 before the first event", async () => {
    const { runtime, abort, stream } = await running();
    abort.abort();
    expect(typesOf(await gather(stream))).toEqual(["start", "abort", "finish"]);
    vi.advanceTimersByTime(0);
    expect(runtime.commands.map(({ type }) => type)).toEqual(["send", "abort"]);
  });

  test("INP8 a signal that is aborted already sends nothing", async () => {
    const runtime = new ScriptedRuntime();
    const transport = createRuntimeTransport(runtime);
    const stream = await transport.sendMessages(request("hi", { abortSignal: AbortSignal.abort() }));
    expect(typesOf(await gather(stream))).toEqual(["start", "abort", "finish"]);
    expect(runtime.commands).toEqual([]);
    expect(vi.getTimerCount()).toBe(0);
  });

  test("INP8 who reconnects in the same task, as a strict React does, keeps the run", async () => {
    const { runtime, transport, abort } = await running();
    abort.abort();
    const again = await transport.reconnectToStream({ chatId: "chat-1" });
    vi.advanceTimersByTime(1000);
    runtime.say([text("a"), { type: "agent:complete" }]);
    expect(textsOf(await gather(again ?? new ReadableStream()))).toBe("a");
    expect(runtime.commands).toHaveLength(1);
  });

  test("INP8 with a grace the run waits for somebody to come back", async () => {
    const { runtime, transport, abort, stream } = await running(3000);
    runtime.say([text("a")]);
    abort.abort();
    expect(typesOf(await gather(stream)).at(-1)).toBe("finish");
    vi.advanceTimersByTime(2999);
    runtime.say([text("b")]);
    const returned = new AbortController();
    const again = await transport.reconnectToStream({ chatId: "chat-1", abortSignal: returned.signal });
    vi.advanceTimersByTime(10_000);
    returned.abort();
    expect(textsOf(await gather(again ?? new ReadableStream()))).toBe("ab");
    expect(runtime.commands).toHaveLength(1);
    vi.advanceTimersByTime(3000);
    expect(runtime.commands.map(({ type }) => type)).toEqual(["send", "abort"]);
    expect(runtime.listeners.size).toBe(0);
  });

  test("INP8 `abort` and a new message do not wait for the grace", async () => {
    const { runtime, transport, abort } = await running(3000);
    abort.abort();
    await transport.sendMessages(request("other"));
    expect(runtime.commands.map(({ type }) => type)).toEqual(["send", "abort", "send"]);
    transport.abort("chat-1");
    transport.abort("chat-1");
    expect(runtime.commands.map(({ type }) => type)).toEqual(["send", "abort", "send", "abort"]);
    expect(vi.getTimerCount()).toBe(0);
  });

  test("INP8 `close` stops every run", async () => {
    const { runtime, transport, stream } = await running();
    const other = await transport.sendMessages(request("other", { chatId: "chat-2" }));
    transport.close();
    for (const left of [stream, other]) expect(typesOf(await gather(left))).toContain("abort");
    expect(runtime.commands.map(({ type }) => type)).toEqual(["send", "send", "abort", "abort"]);
    expect(runtime.listeners.size).toBe(0);
  });
});

describe("INP5 sending to a paused run", () => {
  async function paused(...drafts: EventDraft[]) {
    const runtime = new ScriptedRuntime();
    const transport = createRuntimeTransport(runtime);
    const stream = await transport.sendMessages(request("hi"));
    runtime.say([start, text("a"), ...drafts]);
    return { runtime, transport, stream, runId: runtime.runId() };
  }
  const history = (runId: string) => [userMessage("hi"), { id: runId, role: "assistant", parts: [] }];

  test("INP5 the stream stays open", async () => {
    const { runtime, stream } = await paused({ type: "flow:paused" });
    const ended = vi.fn();
    const chunks = gather(stream).then((all) => {
      ended();
      return all;
    });
    await vi.advanceTimersByTimeAsync(600_000);
    expect(ended).not.toHaveBeenCalled();
    runtime.say([{ type: "flow:resumed" }, text("b"), complete]);
    expect(textsOf(await chunks)).toBe("ab");
  });

  test("INP5 an answer to a prompt is a reply, and what follows is a new message", async () => {
    const { runtime, transport, stream, runId } = await paused({
      type: "agent:paused",
      prompt: "Which?",
      promptId: "p",
    });
    const messages = [...history(runId), userMessage("this one", "message-2")];
    const rest = await transport.sendMessages({ ...request(""), messages });
    expect(runtime.commands.at(-1)).toEqual({
      type: "reply",
      runId,
      nodeId: "writer",
      promptId: "p",
      text: "this one",
    });
    runtime.say([text("b"), complete], runId);
    const [before, after] = await Promise.all([gather(stream), gather(rest)]);
    for (const chunks of [before, after]) expect(checkStream(chunks)).toEqual([]);
    expect([textsOf(before), textsOf(after)]).toEqual(["a", "b"]);
    expect(after[0]).not.toEqual(before[0]);
    expect(before.at(-1)).toEqual({ type: "finish" });
    expect(after).toContainEqual({
      type: "data-flow-status",
      id: "flow",
      data: { status: "running", flowName: "essay" },
    });
  });

  test("INP5 going on without a word is a resume, and goes on with the same message", async () => {
    const { runtime, transport, stream, runId } = await paused({ type: "flow:paused" });
    const rest = await transport.sendMessages({ ...request(""), messageId: runId, messages: history(runId) });
    expect(runtime.commands.at(-1)).toEqual({ type: "resume", runId });
    const whole = await transport.reconnectToStream({ chatId: "chat-1" });
    runtime.say([text("b"), complete], runId);
    const [before, after, replay] = await Promise.all([
      gather(stream),
      gather(rest),
      gather(whole ?? new ReadableStream()),
    ]);
    for (const chunks of [before, after, replay]) {
      expect(checkStream(chunks)).toEqual([]);
      expect(chunks[0]).toEqual({ type: "start", messageId: runId });
    }
    expect([before, after, replay].map(textsOf)).toEqual(["a", "b", "ab"]);
  });

  test("INP5 the signal of a stream that was handed over means nothing any more", async () => {
    const runtime = new ScriptedRuntime();
    const transport = createRuntimeTransport(runtime);
    const abort = new AbortController();
    await transport.sendMessages(request("hi", { abortSignal: abort.signal }));
    runtime.say([start, { type: "flow:paused" }]);
    const rest = await transport.sendMessages(request("go on"));
    abort.abort();
    vi.advanceTimersByTime(1000);
    runtime.say([complete]);
    expect((await gather(rest)).at(-1)).toEqual({ type: "finish" });
    expect(runtime.commands.map(({ type }) => type)).toEqual(["send", "resume"]);
  });

  test("INP5 a word to a run that asked nothing comes with the resume", async () => {
    const { runtime, transport, runId } = await paused({ type: "flow:paused" });
    await transport.sendMessages({ ...request(""), messages: [...history(runId), userMessage("faster", "message-2")] });
    expect(runtime.commands.at(-1)).toEqual({ type: "resume", runId, text: "faster" });
  });

  test("INP5 a regenerate stops the paused run and sends", async () => {
    const { runtime, transport } = await paused({ type: "flow:paused" });
    await transport.sendMessages({ ...request("hi"), trigger: "regenerate-message" });
    expect(runtime.commands.map(({ type }) => type)).toEqual(["send", "abort", "send"]);
  });
});
