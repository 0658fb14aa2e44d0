import { expect } from "vitest";

/** `expect.poll` with the patience that a busy machine needs. */
export function eventually<Value>(read: () => Value) {
  return expect.poll(read, { timeout: 10_000, interval: 10 });
}
