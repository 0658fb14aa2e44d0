import type { RunnerEvent } from "@agent-ops/shared/events";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type AgentClient, type AgentEvent, TurnError } from "../src/agent-client.ts";
import { runTurn } from "../src/prompt.ts";
import { ManualClock } from "./support/manual-clock.ts";

type Script = (signal: AbortSignal) => AsyncIterable<AgentEvent>;

const PROMPT = { type: "prompt", turnId: "t1", userId: "ada", text: "hello" } as const;

function agentOf(script: Script): AgentClient {
  return { prompt: (_input, signal) => script(signal), answer: () => {}, dispose: async () => {} };
}

function startTurn(script: Script, emit?: (event: RunnerEvent) => Promise<void> | undefined) {
  const controller = new AbortController();
  const clock = new ManualClock();
  const told: RunnerEvent[] = [];
  const take = (event: RunnerEvent) => {
    told.push(event);
    return emit?.(event);
  };
  const agent = () => agentOf(script);
  const done = runTurn({ prompt: PROMPT, agent, signal: controller.signal, emit: take, clock });
  return { controller, clock, told, done };
}

function statuses(told: RunnerEvent[]): string[] {
  return told.flatMap((event) => (event.type === "agentStatus" ? [event.status] : []));
}

const text: AgentEvent = { type: "message.part.text-delta", delta: "a" };
const tool = { type: "message.part.tool-update", callId: "c1", toolName: "list" } as const;

const anyEvent: fc.Arbitrary<AgentEvent> = fc.constantFrom<AgentEvent[]>(
  text,
  { type: "message.part.reasoning-delta", delta: "r" },
  { ...tool, status: "running", args: {} },
  { ...tool, status: "completed", result: 1 },
  { type: "message.step" },
  { type: "agentStatus", status: "thinking", detail: "hard" },
  { type: "question", questionId: "q1", kind: "text", prompt: "?" },
  { type: "title", title: "T" },
  { type: "message.finalize", reason: "end_turn", usage: { totalTokens: 3 } },
  { type: "message.finalize", reason: "error", error: "no" },
  { type: "complete" },
  { type: "error", message: "bad" },
);
type End = (controller: AbortController) => Promise<void> | void;

const hang = () => new Promise<void>(() => {});
const ENDS: Record<string, End> = {
  return: () => {},
  throw: () => Promise.reject(new Error("broken")),
  "throw nothing": () => Promise.reject(),
  hang,
  "abort and throw": (controller) => {
    controller.abort();
    throw new Error("AbortError");
  },
  "abort and hang": (controller) => {
    controller.abort();
    return hang();
  },
  "stop with an error": (controller) => controller.abort(new TurnError("The runner was stopped.")),
};

describe("TURN3", () => {
  test("exactly one create first and one finalize last, whatever the agent does", async () => {
    const anyEnd = fc.constantFrom(...Object.keys(ENDS));
    const property = fc.asyncProperty(fc.array(anyEvent), anyEnd, async (events, end) => {
      const turn = startTurn(async function* () {
        yield* events;
        await ENDS[end]?.(turn.controller);
      });
      while (!(await settled(turn.done))) {
        turn.controller.abort();
        turn.clock.advance(60_000);
      }
      expect(turn.told.filter((event) => event.type === "message.finalize")).toHaveLength(1);
      expect(turn.told.filter((event) => event.type === "message.create")).toHaveLength(1);
      expect(turn.told[0]?.type).toBe("message.create");
      expect(turn.told.at(-1)?.type).toBe("message.finalize");
      expect(turn.told.every((event) => "turnId" in event && event.turnId === "t1")).toBe(true);
    });
    await fc.assert(property, { numRuns: 300 });
  });

  test("an agent that goes on after its own finalize is not heard", async () => {
    const turn = startTurn(async function* () {
      yield { type: "message.finalize", reason: "end_turn", usage: { totalTokens: 3 } };
      yield text;
    });
    await turn.done;
    expect(turn.told.at(-1)).toEqual({
      type: "message.finalize",
      turnId: "t1",
      reason: "end_turn",
      usage: { totalTokens: 3 },
    });
    expect(turn.told.some((event) => event.type === "message.part.text-delta")).toBe(false);
  });
});

/** Whether a promise settles within what is queued now. */
async function settled(promise: Promise<void>): Promise<boolean> {
  const later = new Promise<false>((resolve) => setImmediate(() => resolve(false)));
  return Promise.race([promise.then(() => true), later]);
}

test("TURN6 an abort ends the turn as canceled, and what the agent still says is told", async () => {
  const turn = startTurn(async function* (signal) {
    yield text;
    await new Promise((resolve) => signal.addEventListener("abort", resolve));
    yield { ...tool, status: "error", error: "stopped" };
  });
  await settled(turn.done);
  turn.controller.abort();
  await turn.done;
  expect(turn.told.map((event) => event.type).slice(-3)).toEqual([
    "message.part.tool-update",
    "agentStatus",
    "message.finalize",
  ]);
  expect(turn.told.at(-1)).toMatchObject({ reason: "canceled" });
});

test("TURN6 an agent that ignores the abort is left after two seconds", async () => {
  const turn = startTurn(async function* () {
    yield text;
    await new Promise(() => {});
  });
  await settled(turn.done);
  turn.controller.abort();
  turn.clock.advance(1_999);
  expect(await settled(turn.done)).toBe(false);
  turn.clock.advance(1);
  await turn.done;
  expect(turn.told.at(-1)).toMatchObject({ reason: "canceled" });
});

test("an error of the agent is told to people", async () => {
  const turn = startTurn(async function* () {
    yield text;
    throw new Error("out of tokens");
  });
  await turn.done;
  expect(turn.told.at(-1)).toMatchObject({ reason: "error", error: "The agent failed: out of tokens" });
});

test("statuses follow what the agent does, each change once", async () => {
  const turn = startTurn(async function* () {
    yield { type: "message.part.reasoning-delta", delta: "r" };
    yield text;
    yield text;
    yield { ...tool, status: "pending" };
    yield { ...tool, status: "running", result: 1, preliminary: true };
    yield { ...tool, status: "completed", result: 1 };
    yield text;
  });
  await turn.done;
  expect(statuses(turn.told)).toEqual(["thinking", "streaming", "tool_calling", "thinking", "streaming", "idle"]);
});

test("the agent waits while the outbox is full", async () => {
  let produced = 0;
  const gate = Promise.withResolvers<void>();
  const script: Script = async function* () {
    for (; produced < 5; produced += 1) yield text;
  };
  const turn = startTurn(script, (event) => (event.type === "message.part.text-delta" ? gate.promise : undefined));
  await settled(turn.done);
  expect(produced).toBe(0);
  gate.resolve();
  await turn.done;
  expect(produced).toBe(5);
});

test("a prompt's channel is the message's", async () => {
  const told: RunnerEvent[] = [];
  await runTurn({
    prompt: { ...PROMPT, channel: { type: "slack", id: "C1" } },
    agent: () => agentOf(async function* () {}),
    signal: new AbortController().signal,
    emit: (event) => void told.push(event),
    clock: new ManualClock(),
  });
  expect(told[0]).toEqual({ type: "message.create", turnId: "t1", channelType: "slack", channelId: "C1" });
});

describe("LIFE1 an agent that names its conversation", () => {
  function startNamed(session: () => Promise<string>) {
    const controller = new AbortController();
    const told: RunnerEvent[] = [];
    const agent = () => ({ ...agentOf(async function* () {}), session });
    const emit = (event: RunnerEvent) => void told.push(event);
    const done = runTurn({ prompt: PROMPT, agent, signal: controller.signal, emit, clock: new ManualClock() });
    return { controller, told, done };
  }

  test("does so in the create", async () => {
    const { told, done } = startNamed(async () => "conversation-7");
    await done;
    expect(told[0]).toEqual({ type: "message.create", turnId: "t1", agentSessionId: "conversation-7" });
    expect(told.at(-1)).toMatchObject({ reason: "end_turn" });
  });

  test("and cannot be started: the turn says so", async () => {
    const { told, done } = startNamed(() => Promise.reject(new TurnError("There is no such program.")));
    await done;
    expect(told[0]).toEqual({ type: "message.create", turnId: "t1" });
    expect(told.at(-1)).toMatchObject({ reason: "error", error: "There is no such program." });
  });

  test("and hangs as it starts: an abort ends the turn", async () => {
    const { told, done, controller } = startNamed(() => new Promise(() => {}));
    controller.abort();
    await done;
    expect(told.map(({ type }) => type)).toEqual(["message.create", "agentStatus", "agentStatus", "message.finalize"]);
    expect(told.at(-1)).toMatchObject({ reason: "canceled" });
  });
});
