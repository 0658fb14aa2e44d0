import type { UIChunk } from "@agent-ops/shared/ai-sdk";
import fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import type { EventDraft } from "../src/event-transform.ts";
import { createRuntimeTransport } from "../src/runtime-transport.ts";
import { checkStream } from "../src/stream-checker.ts";
import { type Act, anyActs, anyConcert, type Said } from "./run-arbitraries.ts";
import { gather, request, ScriptedRuntime, tellRun, userMessage } from "./runs.ts";
import { APPROVING_SDKS } from "./sdks.ts";

vi.setConfig({ testTimeout: 60_000 });

const END: EventDraft = { type: "flow:complete" };

/** The runs of many chats at once, each with what its stream gave. */
async function perform({ runs, said }: { runs: number; said: readonly Said[] }) {
  const runtime = new ScriptedRuntime();
  const transport = createRuntimeTransport(runtime);
  const streams: ReadableStream<UIChunk>[] = [];
  for (let run = 0; run < runs; run += 1)
    streams.push(await transport.sendMessages(request("hi", { chatId: `chat-${run}` })));
  const ids = runtime.commands.map(({ runId }) => runId);
  for (const { run, draft } of said) runtime.say([draft], ids[run]);
  for (const id of ids) runtime.say([END], id);
  const chunks = await Promise.all(streams.map(gather));
  return { runtime, told: chunks.map((own, run) => ({ runId: ids[run] ?? "", chunks: own })) };
}

/** Readers get what has gathered; how much at a time is their pace. */
function merged(chunks: readonly UIChunk[]): UIChunk[] {
  const all: UIChunk[] = [];
  for (const chunk of chunks) {
    const last = all.at(-1);
    const goesOn = last && "delta" in last && "delta" in chunk && last.type === chunk.type && last.id === chunk.id;
    if (goesOn) all[all.length - 1] = { ...last, delta: last.delta + chunk.delta };
    else all.push(chunk);
  }
  return all;
}

describe("INP10 any events of up to 100 runs at once", () => {
  test("INP10 every stream is one that clients take, and ends exactly once", async () => {
    await fc.assert(
      fc.asyncProperty(anyConcert, async (concert) => {
        const { runtime, told } = await perform(concert);
        for (const { runId, chunks } of told) {
          expect(checkStream(chunks)).toEqual([]);
          expect(chunks[0]).toEqual({ type: "start", messageId: runId });
          expect(chunks.filter(({ type }) => type === "finish" || type === "error")).toHaveLength(1);
        }
        expect(runtime.listeners.size).toBe(0);
      }),
      { numRuns: 40 },
    );
  });

  test("INP10 a run's stream is what the run alone would give, in its order", async () => {
    await fc.assert(
      fc.asyncProperty(anyConcert, async (concert) => {
        const { told } = await perform(concert);
        for (const [run, { runId, chunks }] of told.entries()) {
          const own = concert.said.filter((each) => each.run === run).map(({ draft }) => draft);
          expect(merged(chunks)).toEqual(merged(tellRun([...own, END], undefined, runId).chunks));
        }
      }),
      { numRuns: 40 },
    );
  });

  test.each(APPROVING_SDKS)("INP10 SDK $name takes every chunk and gathers its own kind of message", async (sdk) => {
    await fc.assert(
      fc.asyncProperty(anyConcert, async (concert) => {
        const { told } = await perform({ ...concert, runs: Math.min(concert.runs, 4) });
        for (const { chunks } of told) {
          for (const chunk of chunks) expect(await sdk.refuses(chunk)).toBeUndefined();
          await sdk.validate([await sdk.gather(chunks)]);
        }
      }),
      { numRuns: 25 },
    );
  });
});

test("INP7 wherever a reader comes in, it gets the whole message", async () => {
  await fc.assert(
    fc.asyncProperty(anyConcert, fc.nat(), async ({ said }, cut) => {
      const runtime = new ScriptedRuntime();
      const transport = createRuntimeTransport(runtime);
      const first = gather(await transport.sendMessages(request("hi")));
      const place = cut % (said.length + 1);
      for (const { draft } of said.slice(0, place)) runtime.say([draft]);
      await Promise.resolve();
      const second = await transport.reconnectToStream({ chatId: "chat-1" });
      for (const { draft } of [...said.slice(place), { draft: END }]) runtime.say([draft]);
      if (second) expect(merged(await gather(second))).toEqual(merged(await first));
    }),
    { numRuns: 200 },
  );
});

type Reading = { stream: ReadableStream<UIChunk>; abort: AbortController; canceled: boolean };

/** A page that does anything at any time, and a runtime that says anything. */
class Stage {
  readonly runtime = new ScriptedRuntime();
  readonly transport = createRuntimeTransport(this.runtime, { graceMs: 100 });
  readonly readings: Reading[] = [];

  async act(act: Act): Promise<void> {
    switch (act.do) {
      case "send":
        return this.#read((abortSignal) => this.transport.sendMessages({ ...this.#request(act), abortSignal }));
      case "reconnect":
        return this.#read((abortSignal) => this.transport.reconnectToStream({ chatId: act.chatId, abortSignal }));
      case "abort":
        return this.transport.abort(act.chatId);
      case "leave":
        return this.#leave(this.readings[act.stream], act.how);
      case "wait":
        return void (await vi.advanceTimersByTimeAsync(act.ms));
      case "say": {
        const sent = this.runtime.commands.filter(({ type }) => type === "send");
        return this.runtime.say([act.draft], sent.at(-1 - act.run)?.runId ?? "no run");
      }
      default:
        return act satisfies never;
    }
  }

  #request({ chatId, how }: Extract<Act, { do: "send" }>) {
    const sent = request("hi", { chatId });
    if (how === "regenerate") return { ...sent, trigger: "regenerate-message" as const };
    const runId = this.runtime.commands.findLast(
      (command) => command.type === "send" && command.chatId === chatId,
    )?.runId;
    if (how === "new" || runId === undefined) return sent;
    return { ...sent, messageId: runId, messages: [userMessage("hi"), { id: runId, role: "assistant", parts: [] }] };
  }

  async #read(open: (signal: AbortSignal) => Promise<ReadableStream<UIChunk> | null>): Promise<void> {
    const abort = new AbortController();
    const stream = await open(abort.signal);
    if (stream) this.readings.push({ stream, abort, canceled: false });
  }

  async #leave(reading: Reading | undefined, how: "signal" | "cancel" | "read"): Promise<void> {
    if (!reading || reading.canceled) return;
    if (how === "signal") return reading.abort.abort();
    if (how === "cancel") {
      reading.canceled = true;
      return void reading.stream.cancel();
    }
    const [ahead, rest] = reading.stream.tee();
    reading.stream = rest;
    void gather(ahead);
    await vi.advanceTimersByTimeAsync(0);
  }
}

test("INP10 whatever a page and a runtime do, every stream is whole, and nothing is left behind", async () => {
  vi.useFakeTimers();
  try {
    await fc.assert(
      fc.asyncProperty(anyActs, async (acts) => {
        const stage = new Stage();
        for (const act of acts) await stage.act(act);
        stage.transport.close();
        for (const { stream, canceled } of stage.readings)
          if (!canceled) expect(checkStream(await gather(stream))).toEqual([]);
        expect(stage.runtime.listeners.size).toBe(0);
        await vi.advanceTimersByTimeAsync(0);
        expect(vi.getTimerCount()).toBe(0);
      }),
      { numRuns: 1000 },
    );
  } finally {
    vi.useRealTimers();
  }
});
