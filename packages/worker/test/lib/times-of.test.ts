import { TIMES } from "@agent-ops/shared/limits";
import { afterEach, expect, it, vi } from "vitest";
import { timesOf } from "../../src/lib/times-of.ts";

afterEach(() => vi.restoreAllMocks());

it("times are the usual ones but for those that are set", () => {
  const warn = vi.spyOn(console, "warn");
  expect(timesOf({})).toEqual(TIMES);
  expect(timesOf({ TIMES: "" })).toEqual(TIMES);
  expect(timesOf({ TIMES: '{"graceMs":7}' })).toEqual({ ...TIMES, graceMs: 7 });
  expect(warn).not.toHaveBeenCalled();
});

it.each([
  ["keepAliveMs, idleMs", '{"keepAliveMs":5,"graceMs":7,"idleMs":1.5}', { graceMs: 7 }],
  ["JSON object", "{", {}],
  ["JSON object", "[1]", {}],
])("of what cannot be used the log says %s, and the session is there", (said, setting, used) => {
  const warn = vi.spyOn(console, "warn").mockImplementation(() => undefined);
  expect(timesOf({ TIMES: setting })).toEqual({ ...TIMES, ...used });
  expect(warn).toHaveBeenCalledWith(expect.stringContaining(said));
});
