import { FIXED_TIMES } from "@agent-ops/shared/limits";
import { describe, expect, it } from "vitest";
import { Load } from "../../src/lib/load.ts";
import { Pacer } from "../../src/lib/pacer.ts";
import { ManualClock } from "../manual-clock.ts";

/** A pacer beside the times of its flushes; each takes `writes` writes. */
function scene(writes = 1) {
  const clock = new ManualClock();
  const flushes: number[] = [];
  const start = clock.now();
  const pacer = new Pacer(clock, new Load().writes, () => {
    flushes.push(clock.now() - start);
    return writes;
  });
  return { clock, flushes, pacer };
}

/** Nudges every millisecond for a while. */
function nudgeFor(ms: number, { clock, pacer }: ReturnType<typeof scene>): void {
  for (let at = 0; at < ms; at++) {
    pacer.nudge();
    clock.advance(1);
  }
}

function gaps(flushes: readonly number[]): number[] {
  return flushes.slice(1).map((at, index) => at - (flushes[index] ?? 0));
}

describe("Pacer", () => {
  it("LOG2: the first thing after a silence goes out at once", () => {
    const { clock, flushes, pacer } = scene();
    pacer.nudge();
    expect(flushes).toEqual([0]);
    clock.advance(FIXED_TIMES.gatherMs);
    pacer.nudge();
    expect(flushes).toEqual([0, FIXED_TIMES.gatherMs]);
  });

  it("LOG2: what comes soon after it is gathered and goes out together", () => {
    const { clock, flushes, pacer } = scene();
    for (let count = 0; count < 10; count++) pacer.nudge();
    clock.advance(FIXED_TIMES.gatherMs - 1);
    pacer.nudge();
    expect(flushes).toEqual([0]);
    clock.advance(1);
    expect(flushes).toEqual([0, FIXED_TIMES.gatherMs]);
    clock.advance(1000);
    expect(flushes).toHaveLength(2);
    expect(clock.timers).toBe(0);
  });

  it("LOG2: a stream goes out every 5 ms", () => {
    const place = scene(10);
    nudgeFor(1000, place);
    expect(new Set(gaps(place.flushes))).toEqual(new Set([FIXED_TIMES.gatherMs]));
  });

  it("LOG2: a flush in between starts the gathering anew and leaves no timer", () => {
    const { clock, flushes, pacer } = scene();
    pacer.nudge();
    pacer.nudge();
    clock.advance(2);
    pacer.flush();
    expect(clock.timers).toBe(0);
    pacer.nudge();
    clock.advance(FIXED_TIMES.gatherMs);
    expect(flushes).toEqual([0, 2, 2 + FIXED_TIMES.gatherMs]);
  });

  it("LOG2: with more than 10,000 writes a second it gathers for FIXED_TIMES.busyGatherMs ms, and is quick again when they are over", () => {
    let writes = 1000;
    const clock = new ManualClock();
    const flushes: number[] = [];
    const pacer = new Pacer(clock, new Load().writes, () => {
      flushes.push(clock.now());
      return writes;
    });
    const place = { clock, flushes, pacer };
    nudgeFor(1000, place);
    expect(gaps(flushes).at(-1)).toBe(FIXED_TIMES.busyGatherMs);
    writes = 10;
    nudgeFor(1000, place);
    expect(gaps(flushes).at(-1)).toBe(FIXED_TIMES.gatherMs);
  });

  it("LOG2: the writes of all sessions count together: they share a thread", () => {
    const clock = new ManualClock();
    const { writes } = new Load();
    const flushes: number[] = [];
    const pacers = Array.from({ length: 100 }, (_, index) => {
      return new Pacer(clock, writes, () => {
        if (index === 0) flushes.push(clock.now());
        return 1;
      });
    });
    for (let at = 0; at < 1000; at++) {
      for (const pacer of pacers) pacer.nudge();
      clock.advance(1);
    }
    expect(gaps(flushes).at(0)).toBe(FIXED_TIMES.gatherMs);
    expect(gaps(flushes).at(-1)).toBe(FIXED_TIMES.busyGatherMs);
  });

  it("LOG2: a busy session's first write after a silence goes out at once too", () => {
    const place = scene(1000);
    nudgeFor(1000, place);
    const { clock, flushes, pacer } = place;
    clock.advance(1000);
    const before = flushes.length;
    pacer.nudge();
    expect(flushes).toHaveLength(before + 1);
  });

  it("LOG2: a clock that is set back makes nobody wait for it", () => {
    const { clock, flushes, pacer } = scene();
    pacer.nudge();
    clock.advance(-3_600_000);
    pacer.nudge();
    clock.advance(FIXED_TIMES.gatherMs);
    expect(flushes).toHaveLength(2);
  });
});
