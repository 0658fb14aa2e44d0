import { LIMITS } from "@agent-ops/shared/limits";
import { expect, it } from "vitest";
import { hostName, isPersonsName } from "../../src/lib/names.ts";

it.each([
  ["ann", true],
  ["ann:b", true],
  ["x".repeat(LIMITS.nameChars), true],
  ["x".repeat(LIMITS.nameChars + 1), false],
  ["", false],
  ["widget:ann", false],
  ["agent:demo", false],
  [7, false],
])("LIM7, RUN10: whether %j is a person's name", (name, expected) => {
  expect(isPersonsName(name)).toBe(expected);
});

it("POOL5: hosts of different tokens never have one name", () => {
  const names = [
    hostName("a", "b"),
    hostName("a/b", undefined),
    hostName("a%2Fb", undefined),
    hostName("a", "b/c"),
    hostName("a/b", "c"),
  ];
  expect(new Set(names).size).toBe(names.length);
  expect([hostName("runner", undefined), hostName("runner", "local-1")]).toEqual(["runner", "runner/local-1"]);
});
