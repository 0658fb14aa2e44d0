import { describe, expect, it } from "vitest";
import { keySetAt } from "../../src/lib/key-set.ts";

describe("the address of a key set", () => {
  it.each(["http://id.example/keys", "http://127.0.0.1.evil.example/keys", "file:///etc/keys", "keys", ""])(
    "ACL10: %j is refused, since others could answer for it",
    (address) => {
      expect(() => keySetAt(address)).toThrow("https");
    },
  );

  it("ACL10: is one of https, or of this machine, and its keys are kept", () => {
    for (const address of ["https://id.example/keys", "http://127.0.0.1:8080/keys", "http://localhost/keys"]) {
      expect(keySetAt(address)).toBe(keySetAt(address));
    }
  });
});
