import { expect, test } from "vitest";
import { LazyAlarm } from "../../src/durable-objects/session/lazy-alarm.ts";

test("BAD5: an alarm is moved to an earlier time alone, until it has rung", () => {
  const set: number[] = [];
  const alarm = new LazyAlarm((at) => set.push(at));
  for (const at of [100, 600, 100, 50, 99]) alarm.set(at);
  expect(set).toEqual([100, 50]);
  alarm.forget();
  for (const at of [600, 601, 599]) alarm.set(at);
  expect(set).toEqual([100, 50, 600, 599]);
});
