import { AppError } from "@agent-ops/shared/errors";
import { type JWTPayload, SignJWT, UnsecuredJWT } from "jose";
import { describe, expect, it } from "vitest";
import { AUDIENCE, bearerToken, issueApiToken, verifyToken } from "../../src/lib/auth.ts";

/** Long enough for every HMAC, so that only the pinned algorithm decides. */
const SECRET = "a-secret-for-tests-".repeat(4);
const HOUR = 3600;
const now = () => Math.floor(Date.now() / 1000);

function sign(claims: JWTPayload, secret = SECRET, alg = "HS256"): Promise<string> {
  return new SignJWT(claims).setProtectedHeader({ alg }).sign(new TextEncoder().encode(secret));
}

const good = (): JWTPayload => ({ sub: "ann", aud: AUDIENCE.api, exp: now() + HOUR });

async function codeOf(token: string): Promise<string> {
  const claims = await verifyToken(SECRET, token, AUDIENCE.api).catch((error: unknown) => error);
  if (claims instanceof AppError) return claims.code;
  return claims instanceof Error ? claims.name : "ok";
}

describe("verifyToken", () => {
  it("ACL1: a token with sub, exp and aud names its user", async () => {
    const claims = { ...good(), jti: "id-1" };
    expect(await verifyToken(SECRET, await sign(claims), AUDIENCE.api)).toEqual({
      user: "ann",
      expiresAt: Number(claims.exp) * 1000,
      tokenId: "id-1",
    });
  });

  it("ACL1: the tokens that we issue are good, and for the API alone", async () => {
    const token = await issueApiToken(SECRET, "ann");
    expect((await verifyToken(SECRET, token, AUDIENCE.api)).user).toBe("ann");
    await expect(verifyToken(SECRET, token, AUDIENCE.runner)).rejects.toMatchObject({ code: "unauthorized" });
    await expect(verifyToken(SECRET, token, AUDIENCE.signIn)).rejects.toMatchObject({ code: "unauthorized" });
  });

  it.each<[string, () => Promise<string> | string]>([
    ["signed with another secret", () => sign(good(), "another-secret-that-is-long-enough")],
    ["for another audience", () => sign({ ...good(), aud: AUDIENCE.runner })],
    ["without an audience", () => sign({ ...good(), aud: undefined })],
    ["without an expiry", () => sign({ ...good(), exp: undefined })],
    ["that has expired", () => sign({ ...good(), exp: now() - 1 })],
    ["that is not valid yet", () => sign({ ...good(), nbf: now() + HOUR })],
    ["without a subject", () => sign({ ...good(), sub: undefined })],
    ["with an empty subject", () => sign({ ...good(), sub: "" })],
    ["with a name of 257 characters", () => sign({ ...good(), sub: "x".repeat(257) })],
    ["in the name of a visitor", () => sign({ ...good(), sub: "widget:ann" })],
    ["in the name of an agent", () => sign({ ...good(), sub: "agent:demo" })],
    ["with another algorithm", () => sign(good(), SECRET, "HS512")],
    ["without an algorithm", () => new UnsecuredJWT(good()).encode()],
    ["whose payload was changed", async () => (await sign(good())).replace(/\.[^.]+\./, `.${btoa('{"sub":"eve"}')}.`)],
    ["without its signature", async () => (await sign(good())).replace(/\.[^.]+$/, ".")],
    ["that is none", () => "not.a.token"],
    ["that is empty", () => ""],
  ])("ACL1: a token %s is unauthorized", async (_what, make) => {
    expect(await codeOf(await make())).toBe("unauthorized");
  });

  it("ACL1: a sub that is no string is unauthorized", async () => {
    const claims: Record<string, unknown> = { ...good(), sub: 7 };
    expect(await codeOf(await sign(claims))).toBe("unauthorized");
  });
});

describe("bearerToken", () => {
  it("ACL1: reads the header whatever the case of its scheme", () => {
    expect(bearerToken("Bearer abc")).toBe("abc");
    expect(bearerToken("bearer abc")).toBe("abc");
  });

  it.each([undefined, null, "", "Bearer", "Bearer ", "Basic abc", "abc", "xBearer abc"])(
    "ACL1: %j is no token",
    (header) => {
      expect(() => bearerToken(header)).toThrow(AppError);
    },
  );
});
