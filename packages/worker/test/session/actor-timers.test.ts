import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { ActorTimers } from "../../src/durable-objects/session/actor-timers.ts";

describe("the timers of an actor", () => {
  const rung: string[] = [];
  beforeEach(() => {
    rung.length = 0;
    vi.useFakeTimers({ now: 1000 });
  });
  afterEach(() => vi.useRealTimers());

  it("go off by themselves, once", () => {
    const timers = new ActorTimers();
    timers.after(10, () => rung.push("a"));
    vi.advanceTimersByTime(10);
    timers.catchUp();
    expect(rung).toEqual(["a"]);
  });

  it("WSC5: go off when something comes in, if the runtime is late with them, and not before their time", () => {
    const timers = new ActorTimers();
    timers.after(10, () => rung.push("late"));
    timers.after(20, () => rung.push("not yet"));
    vi.setSystemTime(1015);
    timers.catchUp();
    expect(rung).toEqual(["late"]);
    vi.advanceTimersByTime(20);
    expect(rung).toEqual(["late", "not yet"]);
  });

  it("do nothing once they are taken back, and may set others", () => {
    const timers = new ActorTimers();
    const cancel = timers.after(10, () => rung.push("cancelled"));
    timers.after(10, () => {
      rung.push("first");
      timers.after(0, () => rung.push("second"));
    });
    cancel();
    vi.setSystemTime(1010);
    timers.catchUp();
    expect(rung).toEqual(["first"]);
    timers.catchUp();
    expect(rung).toEqual(["first", "second"]);
  });
});
