import { FIXED_TIMES } from "@agent-ops/shared/limits";
import { expect, test } from "vitest";
import { Pacer } from "../src/pacer.ts";
import { type PackedEvent, pack } from "../src/packed-event.ts";
import { ManualClock } from "./support/manual-clock.ts";

function startPacer() {
  const clock = new ManualClock();
  const batches: string[][] = [];
  const pacer = new Pacer(clock, (batch) => batches.push(batch.map((event: PackedEvent) => event.type)));
  const push = (...types: string[]) => {
    for (const type of types) pacer.push(pack({ type }, "{}"));
  };
  return { clock, batches, pacer, push };
}

test("the first event goes at once, the next ones together", () => {
  const { clock, batches, push } = startPacer();
  push("a", "b", "c");
  expect(batches).toEqual([["a"]]);
  clock.advance(FIXED_TIMES.runnerGatherMs);
  expect(batches).toEqual([["a"], ["b", "c"]]);
});

test("after silence the next one goes at once again", () => {
  const { clock, batches, push } = startPacer();
  push("a");
  clock.advance(FIXED_TIMES.runnerGatherMs);
  push("b");
  expect(batches).toEqual([["a"], ["b"]]);
});

test("a batch opens a new window", () => {
  const { clock, batches, push } = startPacer();
  push("a", "b");
  clock.advance(FIXED_TIMES.runnerGatherMs);
  push("c");
  clock.advance(FIXED_TIMES.runnerGatherMs - 1);
  expect(batches).toEqual([["a"], ["b"]]);
  clock.advance(1);
  expect(batches).toEqual([["a"], ["b"], ["c"]]);
});

test.each(["message.create", "message.finalize", "question"])(
  "%s does not wait, nor does what came before it",
  (type) => {
    const { batches, push } = startPacer();
    push("a", "b", type);
    expect(batches).toEqual([["a"], ["b", type]]);
  },
);

test("a full batch does not wait", () => {
  const { batches, push } = startPacer();
  push(...Array.from({ length: 1_025 }, () => "x"));
  expect(batches.map((batch) => batch.length)).toEqual([1, 512, 512]);
});
