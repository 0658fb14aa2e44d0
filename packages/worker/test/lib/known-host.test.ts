import { describe, expect, it } from "vitest";
import { requireKnownHost } from "../../src/lib/known-host.ts";

function isKnown(host: string, settings: { LOOPBACK?: string; ALLOWED_HOSTS?: string }): boolean {
  try {
    requireKnownHost(settings, new Request(`http://${host}/healthz`));
    return true;
  } catch (error) {
    expect(error).toMatchObject({ code: "forbidden" });
    return false;
  }
}

const ALLOWED_HOSTS = "agents.example, Proxy.example:8443";

describe("requireKnownHost", () => {
  it.each([
    ["agents.example", true],
    ["agents.example:1234", true],
    ["AGENTS.example", true],
    ["proxy.example:8443", true],
    ["proxy.example", false],
    ["proxy.example:8444", false],
    ["www.agents.example", false],
    ["evil.example", false],
  ])("SEC3: of the operator's own names, %s is known: %s", (host, known) => {
    expect(isKnown(host, { LOOPBACK: "true", ALLOWED_HOSTS })).toBe(known);
    expect(isKnown(host, { LOOPBACK: "false", ALLOWED_HOSTS })).toBe(known);
  });

  it("SEC3: this machine's names are known where only this machine connects", () => {
    for (const host of ["localhost:8787", "127.0.0.1", "127.1", "[::1]:8787"]) {
      expect(isKnown(host, { LOOPBACK: "true", ALLOWED_HOSTS })).toBe(true);
      expect(isKnown(host, { LOOPBACK: "false", ALLOWED_HOSTS })).toBe(false);
    }
  });

  it("SEC3: elsewhere every name is known, until the operator says which", () => {
    for (const host of ["agents.example", "10.0.0.7:8787"]) {
      expect(isKnown(host, {})).toBe(true);
      expect(isKnown(host, { LOOPBACK: "true" })).toBe(false);
    }
  });
});
