import { FIXED_TIMES, TIMES } from "@agent-ops/shared/limits";
import { describe, expect, it } from "vitest";
import { StoreSlots } from "../../src/lib/load.ts";

const { storeAfterMs } = TIMES;
const { storeApartMs, storeAtLastMs } = FIXED_TIMES;
const NOW = 1_000_000;

describe("StoreSlots", () => {
  it("LOG2: a session alone stores after 250 ms", () => {
    expect(new StoreSlots().next(NOW, storeAfterMs)).toBe(NOW + 250);
  });

  it("LOG2: those that begin together store 5 ms apart, and nobody waits longer than a second", () => {
    const slots = new StoreSlots();
    const places = (storeAtLastMs - storeAfterMs) / storeApartMs + 1;
    const times = Array.from({ length: 2 * places }, () => slots.next(NOW, storeAfterMs) - NOW);
    const once = Array.from({ length: places }, (_, place) => storeAfterMs + place * storeApartMs);
    expect(times).toEqual([...once, ...once]);
  });

  it("LOG2: 50 that stream on store every 250 ms each, 200 about every second, and 1,000 do not come all at once", () => {
    expect(settled(50)).toEqual({ longest: 250, atOnce: 1 });
    expect(settled(200)).toMatchObject({ longest: 1000 });
    expect(settled(1000).longest).toBeLessThanOrEqual(1000);
    expect(settled(1000).atOnce).toBeLessThan(20);
  });

  it("LOG2: a longer time of an installation holds, and others do not wait for it", () => {
    const slots = new StoreSlots();
    expect(slots.next(NOW, 5_000)).toBe(NOW + 5_000);
    expect(slots.next(NOW, storeAfterMs)).toBe(NOW + storeAfterMs);
  });

  it("LOG2: a clock that is set back makes nobody wait for it", () => {
    const slots = new StoreSlots();
    slots.next(NOW, storeAfterMs);
    expect(slots.next(NOW - 3_600_000, storeAfterMs)).toBe(NOW - 3_600_000 + storeAfterMs);
  });
});

/** How long each of so many sessions waits, and how many store at the same moment, once they have taken turns. */
function settled(sessions: number): { longest: number; atOnce: number } {
  const slots = new StoreSlots();
  const due = Array.from({ length: sessions }, () => NOW);
  const stored = new Map<number, number>();
  let longest = 0;
  for (let round = 0; round < 10 * sessions; round++) {
    const at = Math.min(...due);
    const next = slots.next(at, storeAfterMs);
    due[due.indexOf(at)] = next;
    if (round < 9 * sessions) continue;
    longest = Math.max(longest, next - at);
    stored.set(next, (stored.get(next) ?? 0) + 1);
  }
  return { longest, atOnce: Math.max(...stored.values()) };
}
