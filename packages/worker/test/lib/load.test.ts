import { TIMES } from "@agent-ops/shared/limits";
import { describe, expect, it } from "vitest";
import { StoreSlots } from "../../src/lib/load.ts";

const { storeAfterMs, storeApartMs, storeAtLastMs } = TIMES;
const NOW = 1_000_000;

describe("StoreSlots", () => {
  it("LOG2: a session alone stores after 250 ms", () => {
    expect(new StoreSlots().next(NOW, storeAfterMs)).toBe(NOW + 250);
  });

  it("LOG2: those that begin together store 5 ms apart, and nobody waits longer than a second", () => {
    const slots = new StoreSlots();
    const times = Array.from({ length: 200 }, () => slots.next(NOW, storeAfterMs) - NOW);
    const gaps = times.slice(1).map((time, index) => time - (times[index] ?? 0));
    const apart = (storeAtLastMs - storeAfterMs) / storeApartMs;
    expect(gaps.slice(0, apart)).toEqual(Array(apart).fill(5));
    expect(times.at(-1)).toBe(1000);
    expect(Math.max(...times)).toBe(1000);
  });

  it("LOG2: 50 that stream on store every 250 ms each, 200 every second", () => {
    expect(settledInterval(50)).toBe(250);
    expect(settledInterval(200)).toBe(1000);
  });

  it("LOG2: a longer time of an installation holds, and others do not wait for it", () => {
    const slots = new StoreSlots();
    expect(slots.next(NOW, 5_000)).toBe(NOW + 5_000);
    expect(slots.next(NOW, storeAfterMs)).toBe(NOW + storeAtLastMs);
  });
});

/** How long each of so many sessions waits, once they have taken turns for a while. */
function settledInterval(sessions: number): number {
  const slots = new StoreSlots();
  const due = Array.from({ length: sessions }, () => NOW);
  let longest = 0;
  for (let round = 0; round < 10 * sessions; round++) {
    const at = Math.min(...due);
    const next = slots.next(at, storeAfterMs);
    due[due.indexOf(at)] = next;
    if (round >= 9 * sessions) longest = Math.max(longest, next - at);
  }
  return longest;
}
