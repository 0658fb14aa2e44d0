import fc from "fast-check";
import type { EventDraft } from "../src/event-transform.ts";

/** Events of a run in any order, as a healthy or a confused runtime may emit them. */

const nodeId = fc.constantFrom("researcher", "writer", "editor");
const delta = fc.oneof(fc.constantFrom("", "a", " ", "\n\n", "\ud83d"), fc.string({ maxLength: 5 }));
const value = fc.oneof(fc.jsonValue({ maxDepth: 1 }), fc.constant(undefined), fc.bigInt());
const failure = fc.oneof(delta, fc.constant(new Error("boom")));
const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });

const texts: fc.Arbitrary<EventDraft> = fc.oneof(
  fc.record({ type: fc.constantFrom("agent:text:delta", "agent:thinking:delta"), nodeId, delta }),
  fc.record({ type: fc.constantFrom("agent:text", "agent:thinking"), nodeId, text: delta }),
);
const tools: fc.Arbitrary<EventDraft> = fc.record({
  type: fc.constant("agent:tool"),
  nodeId,
  toolName: fc.constantFrom("search", "read"),
  toolInput: value,
  toolOutput: value,
  error: maybe(failure),
});
const marks: fc.Arbitrary<EventDraft> = fc.oneof(
  fc.record({
    type: fc.constantFrom("node:start", "agent:start", "node:skipped", "flow:paused", "flow:resumed", "edge:taken"),
    nodeId,
  }),
  fc.record({ type: fc.constant("flow:start"), flowName: maybe(delta) }),
  fc.record({ type: fc.constant("node:complete"), nodeId, output: value }),
  fc.record({ type: fc.constant("agent:paused"), nodeId, prompt: maybe(delta) }),
);
const ends: fc.Arbitrary<EventDraft> = fc.oneof(
  fc.record({
    type: fc.constant("agent:complete"),
    nodeId,
    usage: maybe(fc.constant({ inputTokens: 1 })),
    cost: maybe(fc.constant(0.25)),
  }),
  fc.record({ type: fc.constantFrom("agent:error", "node:error"), nodeId, error: failure }),
  fc.record({ type: fc.constantFrom("agent:aborted", "flow:aborted"), nodeId }),
  fc.record({ type: fc.constant("flow:complete"), status: fc.constantFrom(undefined, "completed", "failed") }),
);

const anyDraft: fc.Arbitrary<EventDraft> = fc.oneof(
  { arbitrary: texts, weight: 12 },
  { arbitrary: tools, weight: 4 },
  { arbitrary: marks, weight: 5 },
  { arbitrary: ends, weight: 1 },
);

export type Said = { readonly run: number; readonly draft: EventDraft };

/** What up to 100 runs say, in one order of all. */
export const anyConcert: fc.Arbitrary<{ runs: number; said: Said[] }> = fc.integer({ min: 1, max: 100 }).chain((runs) =>
  fc.record({
    runs: fc.constant(runs),
    said: fc.array(fc.record({ run: fc.nat(runs - 1), draft: anyDraft }), { maxLength: 300, size: "max" }),
  }),
);

const chatId = fc.constantFrom("chat-1", "chat-2");

/** Everything that a page and a runtime can do to a transport. */
export type Act =
  | { do: "send"; chatId: string; how: "new" | "regenerate" | "go on" }
  | { do: "reconnect"; chatId: string }
  | { do: "abort"; chatId: string }
  | { do: "leave"; stream: number; how: "signal" | "cancel" | "read" }
  | { do: "wait"; ms: number }
  | { do: "say"; run: number; draft: EventDraft };

export const anyActs: fc.Arbitrary<Act[]> = fc.array(
  fc.oneof(
    {
      arbitrary: fc.record({
        do: fc.constant("send"),
        chatId,
        how: fc.constantFrom("new", "new", "go on", "regenerate"),
      }),
      weight: 3,
    },
    { arbitrary: fc.record({ do: fc.constant("reconnect"), chatId }), weight: 2 },
    { arbitrary: fc.record({ do: fc.constant("abort"), chatId }), weight: 1 },
    {
      arbitrary: fc.record({
        do: fc.constant("leave"),
        stream: fc.nat(5),
        how: fc.constantFrom("signal", "cancel", "read"),
      }),
      weight: 3,
    },
    { arbitrary: fc.record({ do: fc.constant("wait"), ms: fc.constantFrom(0, 50, 5000) }), weight: 1 },
    { arbitrary: fc.record({ do: fc.constant("say"), run: fc.nat(3), draft: anyDraft }), weight: 12 },
  ),
  { maxLength: 40 },
);
