import { describe, expect, it } from "vitest";
import { isSessionId, newSessionId } from "../../src/lib/session-id.ts";

const SECRET = "a secret";

describe("session ids", () => {
  it("ACL2: an id that this installation made is known as such, and no two are the same", async () => {
    const ids = await Promise.all(Array.from({ length: 50 }, () => newSessionId(SECRET)));
    expect(new Set(ids).size).toBe(50);
    for (const id of ids) expect(await isSessionId(SECRET, id)).toBe(true);
  });

  it("ACL2: an id of another installation is not", async () => {
    expect(await isSessionId(SECRET, await newSessionId("another secret"))).toBe(false);
  });

  it("ACL2: changing any one character of an id spoils it", async () => {
    const id = await newSessionId(SECRET);
    for (let at = 0; at < id.length; at++) {
      const other = id[at] === "0" ? "1" : "0";
      expect(await isSessionId(SECRET, id.slice(0, at) + other + id.slice(at + 1))).toBe(false);
    }
  });

  it("ACL2: what only looks like an id is none", async () => {
    const id = await newSessionId(SECRET);
    const others = ["", "ses_", id.slice(0, -1), `${id}0`, ` ${id}`, `${id}\n`, id.toUpperCase(), `${id}/../x`, "%00"];
    for (const other of others) expect(await isSessionId(SECRET, other)).toBe(false);
  });
});
