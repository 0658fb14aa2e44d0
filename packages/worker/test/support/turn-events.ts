import type { LogPayload } from "@agent-ops/shared/events";
import fc from "fast-check";

export const TURN = "turn-1";

const turnId = fc.oneof({ weight: 9, arbitrary: fc.constant(TURN) }, { weight: 1, arbitrary: fc.constant("turn-2") });
const delta = fc.oneof(fc.constantFrom("", "a", "\n\n", "data: x", "\ud83d"), fc.string({ maxLength: 6 }));
/** What a tool may take and give, among it keys that no frame carries (SSE2). */
const json = fc.oneof(
  { weight: 9, arbitrary: fc.jsonValue({ maxDepth: 1 }) },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom('{"__proto__":1,"a":2}', '{"constructor":{"prototype":1}}')
      .map((text) => JSON.parse(text)),
  },
);
const callId = fc.constantFrom("call-1", "call-2");

const content: fc.Arbitrary<LogPayload> = fc.oneof(
  fc.record({ type: fc.constant("message.part.text-delta"), turnId, delta }),
  fc.record({ type: fc.constant("message.part.reasoning-delta"), turnId, delta }),
  fc.record({
    type: fc.constant("message.part.tool-update"),
    turnId,
    callId,
    toolName: fc.constant("bash"),
    status: fc.constantFrom("pending", "running", "completed", "error"),
    args: fc.option(json, { nil: undefined }),
    result: fc.option(json, { nil: undefined }),
    preliminary: fc.option(fc.boolean(), { nil: undefined }),
  }),
  fc.record({ type: fc.constant("agentStatus"), turnId, status: fc.constantFrom("thinking", "streaming") }),
  fc.record({ type: fc.constant("message.step"), turnId }),
  fc.record({ type: fc.constant("message.create"), turnId }),
  fc.record({ type: fc.constant("mystery"), turnId }),
  fc.record({
    type: fc.constant("question"),
    turnId,
    questionId: fc.constantFrom("ask-1", "ask-2"),
    kind: fc.constantFrom("approval", "text"),
    prompt: delta,
  }),
);

const end: fc.Arbitrary<LogPayload> = fc.record({
  type: fc.constant("message.finalize"),
  turnId: fc.constant(TURN),
  reason: fc.constantFrom("end_turn", "error", "canceled"),
});

/** A turn as a runner may tell it, with others in between, and its end; as it comes off the wire. */
export const anyTurn: fc.Arbitrary<LogPayload[]> = fc
  .tuple(fc.array(content, { maxLength: 20 }), end)
  .map(([events, last]) => JSON.parse(JSON.stringify([...events, last])));
