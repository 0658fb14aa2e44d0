import { readDelta, runnerEvent, type UnknownEvent } from "@agent-ops/shared/events";
import { parseRunnerEvent } from "@agent-ops/shared/frames";
import fc from "fast-check";
import { describe, expect, it } from "vitest";

const DELTAS = ["message.part.text-delta", "message.part.reasoning-delta"];
const value = fc.oneof(
  fc.string(),
  fc.constantFrom("", "t".repeat(128), "t".repeat(129)),
  fc.integer(),
  fc.constant(null),
);
const event: fc.Arbitrary<UnknownEvent> = fc.record(
  { type: fc.constantFrom(...DELTAS, "message.step", "x"), turnId: value, delta: value, more: fc.anything() },
  { requiredKeys: ["type"] },
);

describe("readDelta", () => {
  it("EV4: reads what the schema of a delta reads, as the schema does, and nothing else", () => {
    fc.assert(
      fc.property(event, (raw) => {
        const read = runnerEvent.safeParse(raw);
        expect(readDelta(raw)).toEqual(read.success && DELTAS.includes(raw.type) ? read.data : undefined);
      }),
      { numRuns: 2_000 },
    );
  });

  it("EV4: a delta of a wrong shape is refused with the reason", () => {
    const parsed = parseRunnerEvent({ type: "message.part.text-delta", turnId: "t", delta: 1 });
    expect(parsed).toMatchObject({ kind: "invalid", message: expect.stringContaining("delta") });
  });
});
