import { textDelta, toolUpdate } from "@agent-ops/shared/events";
import { LIMITS } from "@agent-ops/shared/limits";
import { expect, test } from "vitest";
import { packEvent } from "../src/packed-event.ts";

function sizes(parts: { json: string }[]): number[] {
  return parts.map(({ json }) => Buffer.byteLength(json));
}

test.each(["a", "\u0000", "ü", "😀", "\ud800"])("LOG7 a long delta of %j is split and loses nothing", (unit) => {
  const delta = unit.repeat(1_000_000);
  const parts = packEvent({ type: "message.part.text-delta", turnId: "t1", delta });
  for (const size of sizes(parts)) expect(size).toBeLessThan(LIMITS.rowBytes);
  const pieces = parts.map(({ json }) => textDelta.parse(JSON.parse(json)).delta);
  expect(pieces.join("") === delta).toBe(true);
  expect(pieces.every((piece) => piece.isWellFormed() === delta.isWellFormed())).toBe(true);
});

test("LOG7 long arguments are split as well", () => {
  const argsDelta = "x".repeat(1_000_000);
  const call = { type: "message.part.tool-update", turnId: "t1", callId: "c1", toolName: "write" } as const;
  const parts = packEvent({ ...call, status: "pending", argsDelta });
  expect(parts.length).toBeGreaterThan(1);
  expect(parts.map(({ json }) => toolUpdate.parse(JSON.parse(json)).argsDelta).join("")).toBe(argsDelta);
});

test("LOG7 a result that is too long is cut, and says so", () => {
  const call = { type: "message.part.tool-update", turnId: "t1", callId: "c1", toolName: "read" } as const;
  const parts = packEvent({ ...call, status: "completed", result: { lines: ["\u0001".repeat(1_000_000)] } });
  expect(parts).toHaveLength(1);
  expect(Math.max(...sizes(parts))).toBeLessThan(LIMITS.rowBytes);
  expect(toolUpdate.parse(JSON.parse(parts[0]?.json ?? "")).result).toMatch(/more characters were left out\]$/);
});

test("what fits stays as it is", () => {
  const event = { type: "message.step", turnId: "t1" } as const;
  expect(packEvent(event).map(({ json }) => json)).toEqual([JSON.stringify(event)]);
});
