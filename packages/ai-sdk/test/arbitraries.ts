import type { LogPayload } from "@agent-ops/shared/events";
import fc from "fast-check";
import { TURN } from "./turns.ts";

/** Events of one turn in any order, as a healthy or a confused runner may send them. */

const delta = fc.oneof(fc.constantFrom("", "a", " ", "\n\n", "data: x", "\ud83d"), fc.string({ maxLength: 5 }));
const callId = fc.constantFrom("call-1", "call-2", "call-3");
const json = fc.jsonValue({ maxDepth: 2 });
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });

const textDelta = fc.record({ type: fc.constant("message.part.text-delta"), turnId: fc.constant(TURN), delta });
const reasoningDelta = fc.record({
  type: fc.constant("message.part.reasoning-delta"),
  turnId: fc.constant(TURN),
  delta,
});
const toolUpdate = (args: fc.Arbitrary<{ args?: unknown; argsDelta?: string }>) =>
  fc
    .record({
      type: fc.constant("message.part.tool-update"),
      turnId: fc.constant(TURN),
      callId,
      status: fc.constantFrom("pending", "running", "completed", "error"),
      input: args,
      result: maybe(json),
      preliminary: maybe(fc.boolean()),
      error: maybe(delta),
    })
    .map(({ input, ...update }) => ({ ...update, ...input, toolName: `tool of ${update.callId}` }));
const anyInput = fc.record({ args: maybe(json), argsDelta: maybe(fc.oneof(delta, fc.constant('{"a":1}'))) });
const step = fc.record({ type: fc.constant("message.step"), turnId: fc.constant(TURN), nodeId: maybe(fc.string()) });
const question = fc.record(
  {
    type: fc.constant("question"),
    turnId: fc.constant(TURN),
    questionId: fc.constantFrom("ask-1", "ask-2", "ask-3", "ask-4"),
    kind: fc.constantFrom("approval", "choice", "text", "form"),
    prompt: delta,
    callId,
    toolName: fc.constant("bash"),
    seq: fc.nat(),
    ts: fc.nat(),
  },
  { requiredKeys: ["type", "turnId", "questionId", "kind", "prompt"] },
);
const resolution = fc.record({
  type: fc.constant("question.resolved"),
  turnId: fc.constant(TURN),
  questionId: fc.constantFrom("ask-1", "ask-2", "ask-3", "ask-4"),
  outcome: fc.constantFrom("answered", "expired", "turn-ended"),
  answer: maybe(fc.record({ approved: fc.boolean() })),
});
const finalize = fc.record({
  type: fc.constant("message.finalize"),
  turnId: fc.constant(TURN),
  reason: fc.constantFrom("end_turn", "error", "canceled"),
  error: maybe(delta),
});
const create = fc.constant({ type: "message.create", turnId: TURN });
const status = fc.record({
  type: fc.constant("agentStatus"),
  turnId: fc.constant(TURN),
  status: fc.constant("thinking"),
});

const content: fc.Arbitrary<LogPayload> = fc.oneof(
  { arbitrary: textDelta, weight: 4 },
  { arbitrary: reasoningDelta, weight: 2 },
  { arbitrary: toolUpdate(anyInput), weight: 6 },
  { arbitrary: question, weight: 1 },
  { arbitrary: resolution, weight: 1 },
  { arbitrary: status, weight: 1 },
  { arbitrary: step, weight: 1 },
);

const foreign: fc.Arbitrary<LogPayload> = fc
  .tuple(fc.oneof(content, finalize), fc.constant("turn-2"))
  .map(([event, turnId]): LogPayload => ({ ...event, turnId }));
const weird: fc.Arbitrary<LogPayload> = fc.oneof(
  fc.record({ type: fc.constant("chunk"), content: delta, turnId: maybe(fc.constant(TURN)) }),
  fc.record({ type: fc.constantFrom("mystery", "__proto__", "start", "finish"), turnId: maybe(fc.constant(TURN)) }),
  fc.record({ type: fc.constant("complete"), turnId: maybe(fc.constant(TURN)) }),
  fc.record({ type: fc.constant("error"), message: delta, turnId: maybe(fc.constant(TURN)) }),
  fc.record({ type: fc.constant("ping") }),
  finalize.map((event) => ({ ...event, finalText: "a b" })),
  toolUpdate(anyInput).map((event) => ({ ...event, toolName: "renamed" })),
  finalize,
  foreign,
);

/** Anything at all; always ended, though perhaps long before its last event. */
export const anyTurn: fc.Arbitrary<LogPayload[]> = fc
  .tuple(
    fc.array(
      fc.oneof({ arbitrary: content, weight: 12 }, { arbitrary: create, weight: 1 }, { arbitrary: weird, weight: 1 }),
      {
        maxLength: 40,
      },
    ),
    finalize,
  )
  .map(([events, end]) => [...events, end, ...events.slice(0, 3)]);

/**
 * What the store and the stream agree on: each text in one form, and nothing more of a call's input once its step is
 * over, since clients cannot be told. The end may come with a final text that goes on from the streamed one.
 */
export const orderlyTurn: fc.Arbitrary<{ events: LogPayload[]; end: LogPayload }> = fc
  .record({ events: fc.array(content, { maxLength: 30 }), end: finalize, rest: maybe(delta) })
  .map(({ events, end, rest }) => ({
    events: withoutLateInput([{ type: "message.create", turnId: TURN }, ...events]),
    end: rest === undefined ? end : { ...end, finalText: textOf(events) + rest },
  }));

function withoutLateInput(events: readonly LogPayload[]): LogPayload[] {
  const stepOf = new Map<unknown, number>();
  let steps = 0;
  return events.map((event) => {
    if (event.type === "message.step") steps += 1;
    if (event.type !== "message.part.tool-update" || !("callId" in event)) return event;
    const began = stepOf.get(event.callId) ?? steps;
    stepOf.set(event.callId, began);
    return began === steps ? event : { ...event, args: undefined, argsDelta: undefined };
  });
}

function textOf(events: readonly LogPayload[]): string {
  const deltas = events.filter((event) => event.type === "message.part.text-delta" && "delta" in event);
  return deltas.map((event) => ("delta" in event ? String(event.delta) : "")).join("");
}
