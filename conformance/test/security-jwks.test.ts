import { signInLink } from "@agent-ops/cli/tokens";
import { type JWTPayload, SignJWT, UnsecuredJWT } from "jose";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Api, streamedText } from "../src/api.ts";
import { IdentityProvider } from "../src/identity-provider.ts";
import { Product } from "../src/product.ts";
import { readSecrets } from "../src/secrets.ts";

const ISSUER = "https://id.example";
const good: JWTPayload = { iss: ISSUER };
const inAnHour = () => Math.floor(Date.now() / 1000) + 3600;

let provider: IdentityProvider;
let product: Product;

beforeAll(async () => {
  provider = await IdentityProvider.start();
  await provider.addKey("rsa", "RS256");
  await provider.addKey("curve", "ES256");
  product = await Product.start({ JWKS_URL: provider.url, JWT_ISSUER: ISSUER });
});
afterAll(async () => {
  await product.destroy();
  provider.stop();
});

async function statusOf(token: string): Promise<number> {
  return (await new Api(product.url, token).request("GET", "/api/me")).status;
}

function withSecret(secret: string, alg = "HS256", kid?: string): Promise<string> {
  return new SignJWT({ ...good, sub: "ida", aud: "agent-ops", exp: inAnHour() })
    .setProtectedHeader({ alg, ...(kid ? { kid } : {}) })
    .sign(new TextEncoder().encode(secret));
}

describe("where an identity provider says who people are", () => {
  it.each(["rsa", "curve"])("ACL10: a token of its key %s names its user, who can work", async (kid) => {
    const api = new Api(product.url, await provider.sign(kid, good));
    expect(await (await api.request("GET", "/api/me")).json()).toEqual({ user: "ida" });
    expect(await streamedText(await api.chat(await api.createSession(), "/stream 3 0"))).toBe("t0 t1 t2 ");
    const { token } = await (await api.request("POST", "/api/tokens", { name: "ci" })).json();
    expect(await statusOf(token)).toBe(200);
  });

  it("ACL10: HS256 is never accepted: not with the installation's secret, not with a public key for a secret", async () => {
    const publicKey = await provider.publicText("rsa");
    const { auth } = readSecrets(product.data);
    expect((await (await Api.of(product)).request("GET", "/api/me")).status).toBe(401);
    for (const secret of [auth, publicKey, publicKey.trim()]) {
      for (const kid of [undefined, "rsa"]) expect(await statusOf(await withSecret(secret, "HS256", kid))).toBe(401);
    }
    expect(await statusOf(await withSecret(publicKey, "HS512", "rsa"))).toBe(401);
  });

  it.each<[string, () => Promise<string> | string]>([
    ["without an expiry", () => provider.sign("rsa", { ...good, exp: undefined })],
    ["that has expired", () => provider.sign("rsa", { ...good, exp: inAnHour() - 3601 })],
    ["without an audience", () => provider.sign("rsa", { ...good, aud: undefined })],
    ["for another audience", () => provider.sign("rsa", { ...good, aud: "another" })],
    ["without a subject", () => provider.sign("rsa", { ...good, sub: undefined })],
    ["without an issuer", () => provider.sign("rsa", {})],
    ["of another issuer", () => provider.sign("rsa", { iss: "https://evil.example" })],
    ["that is not valid yet", () => provider.sign("rsa", { ...good, nbf: inAnHour() })],
    ["in the name of a visitor", () => provider.sign("rsa", { ...good, sub: "widget:ida" })],
    ["that names another key of the set", () => provider.sign("rsa", good, { kid: "curve" })],
    [
      "without a signature",
      () => new UnsecuredJWT({ ...good, sub: "ida", aud: "agent-ops", exp: inAnHour() }).encode(),
    ],
    [
      "whose payload was changed",
      async () => (await provider.sign("rsa", good)).replace(/\.[^.]+\./, `.${btoa('{"sub":"eve"}')}.`),
    ],
  ])("ACL10: a token %s is refused", async (_what, make) => {
    expect(await statusOf(await make())).toBe(401);
  });

  it("ACL10: there are no sign-in links", async () => {
    const code = new URL(await signInLink(readSecrets(product.data).auth, "ida", product.url)).searchParams.get(
      "token",
    );
    const response = await fetch(`${product.url}/api/auth/exchange`, {
      method: "POST",
      body: JSON.stringify({ code }),
    });
    expect(response.status).toBe(404);
    expect(product.link).not.toContain("token");
  });

  it("ACL10: a new key is found, one that was taken out counts no more, and guesses do not read the set each time", async () => {
    await provider.addKey("next", "ES256");
    const next = await provider.sign("next", good);
    const old = await provider.sign("curve", good);
    provider.removeKey("curve");
    expect(await statusOf(old)).toBe(200);
    await expect.poll(() => statusOf(next)).toBe(200);
    expect(await statusOf(old)).toBe(401);
    const before = provider.reads;
    for (let guess = 0; guess < 20; guess++)
      await statusOf(await provider.sign("rsa", good, { kid: `guess-${guess}` }));
    expect(provider.reads - before).toBeLessThanOrEqual(2);
  });

  it("ACL10: a provider that does not answer takes nobody's sign-in away, and is said for what it is", async () => {
    provider.failure = { status: 500, body: "down" };
    expect(await statusOf(await provider.sign("rsa", good))).toBe(200);
    const unknown = async () => statusOf(await provider.sign("rsa", good, { kid: "unknown" }));
    await expect.poll(unknown).toBe(503);
    provider.failure = { status: 200, body: "[]" };
    expect(await unknown()).toBe(503);
    provider.failure = undefined;
    await expect.poll(unknown).toBe(401);
  });
});
