import { describe, expect, it } from "vitest";
import { RateLimiter } from "../../src/lib/rate-limiter.ts";

function takes(limiter: RateLimiter, user: string, now: number, times: number): number {
  return Array.from({ length: times }, () => limiter.take(user, now)).filter(Boolean).length;
}

describe("RateLimiter", () => {
  it("LIM1: so many a second, and twice as many at once", () => {
    const limiter = new RateLimiter(5);
    expect(takes(limiter, "ann", 0, 20)).toBe(10);
    expect(takes(limiter, "bob", 0, 20)).toBe(10);
    expect(takes(limiter, "ann", 1000, 20)).toBe(5);
    expect(takes(limiter, "ann", 60_000, 20)).toBe(10);
  });

  it("LIM3: so many a minute, and all of them at once", () => {
    const limiter = new RateLimiter(10 / 60, 10);
    expect(takes(limiter, "ann", 0, 20)).toBe(10);
    expect(takes(limiter, "ann", 6_000, 20)).toBe(1);
    expect(takes(limiter, "ann", 66_000, 20)).toBe(10);
  });

  it("LIM3: whoever is forgotten to save space had nothing held against them", () => {
    const limiter = new RateLimiter(10 / 60, 10);
    expect(takes(limiter, "ann", 0, 10)).toBe(10);
    for (let other = 0; other < 2000; other++) limiter.take(`other-${other}`, 30_000);
    expect(takes(limiter, "ann", 30_000, 20)).toBe(5);
  });

  it("LIM1: a clock that jumps back gives nothing away", () => {
    const limiter = new RateLimiter(5);
    expect(takes(limiter, "ann", 10_000, 20)).toBe(10);
    expect(takes(limiter, "ann", 0, 20)).toBe(0);
  });
});
