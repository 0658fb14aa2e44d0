import type { LogPayload } from "@agent-ops/shared/events";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { checkStream } from "../src/stream-checker.ts";
import { toUIMessage } from "../src/ui-message.ts";
import type { ApprovalMode } from "../src/v2-translator.ts";
import { anyTurn, orderlyTurn } from "./arbitraries.ts";
import { APPROVING_SDKS, EVERY_SDK, type Sdk } from "./sdks.ts";
import { fold, questionsOf, tell } from "./turns.ts";

const MODES: [ApprovalMode, readonly Sdk[]][] = [
  ["question", EVERY_SDK],
  ["native", APPROVING_SDKS],
];

describe.each(MODES)("any events, approvals as %s", (approvals, sdks) => {
  test.each(sdks)("TR14 every chunk is one that SDK $name takes", async ({ refuses }) => {
    await fc.assert(
      fc.asyncProperty(anyTurn, async (events) => {
        for (const chunk of tell(events, approvals).chunks) expect(await refuses(chunk)).toBeUndefined();
      }),
    );
  });

  test.each(sdks)("TR14 SDK $name gathers a message of its own kind", async ({ gather, validate }) => {
    await fc.assert(
      fc.asyncProperty(anyTurn, async (events) => {
        const message = await gather(tell(events, approvals).chunks);
        if (approvals === "question") await validate([message]);
      }),
    );
  });

  test("TR14 the chunks are in an order that clients take", () => {
    fc.assert(
      fc.property(anyTurn, (events) => {
        expect(checkStream(tell(events, approvals).chunks)).toEqual([]);
      }),
      { numRuns: 2000 },
    );
  });

  test("TR1 the chunks of a turn are the same whatever other turns do", () => {
    fc.assert(
      fc.property(anyTurn, (events) => {
        const own = events.filter((event) => !("turnId" in event) || event.turnId !== "turn-2");
        expect(tell(events, approvals).chunks).toEqual(tell(own, approvals).chunks);
      }),
    );
  });
});

describe.each(EVERY_SDK)("EV7 what SDK $name gathers is what the store gives", (sdk) => {
  test("EV7 at the end of a turn", async () => {
    await fc.assert(
      fc.asyncProperty(orderlyTurn, async ({ events, end }) => {
        const turn = [...events, end];
        expect(comparable(sdk, await sdk.gather(tell(turn).chunks))).toEqual(comparable(sdk, stored(turn)));
      }),
      { numRuns: 500 },
    );
  });

  test("EV7 in the middle of a turn", async () => {
    await fc.assert(
      fc.asyncProperty(orderlyTurn, async ({ events }) => {
        expect(comparable(sdk, await sdk.gather(tell(events).chunks))).toEqual(comparable(sdk, stored(events)));
      }),
      { numRuns: 500 },
    );
  });

  test("EV7 the stored message is one of its kind", async () => {
    await fc.assert(
      fc.asyncProperty(orderlyTurn, async ({ events, end }) => {
        await sdk.validate([stored(events), stored([...events, end])]);
      }),
    );
  });
});

function stored(events: readonly LogPayload[]): unknown {
  return JSON.parse(JSON.stringify(toUIMessage(fold(events), questionsOf(events))));
}

/**
 * The strict release keeps no id of a reasoning, a half-read input is each release's own affair, and whether an empty
 * last step shows depends on what else the client had to write.
 */
function comparable(sdk: Sdk, message: unknown): unknown {
  return JSON.parse(JSON.stringify(message), (key, value) => {
    if (key === "parts") return value.slice(0, value.findLastIndex(isNoStep) + 1);
    if (value?.type === "reasoning" && sdk.name === "5-strict") return { ...value, id: undefined };
    if (value?.state === "input-streaming") return { ...value, input: undefined, rawInput: undefined };
    return value;
  });
}

function isNoStep(part: { type: string }): boolean {
  return part.type !== "step-start";
}
