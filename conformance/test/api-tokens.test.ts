import { describe, expect, inject, it } from "vitest";
import { Api, sseChunks } from "../src/api.ts";
import { V2Reader } from "../src/v2-reader.ts";

const product = inject("product");

async function newToken(api: Api): Promise<{ id: string; token: string }> {
  const response = await api.request("POST", "/api/tokens", { name: "ci" });
  expect(response.status).toBe(201);
  return response.json();
}

describe("API tokens", () => {
  it("ACL8: are told once, listed without their secret, and open what their owner may open", async () => {
    const owner = await Api.of(product, "tina");
    const { id, token } = await newToken(owner);
    const { tokens } = await (await owner.request("GET", "/api/tokens")).json();
    const listed = { id, name: "ci", createdAt: expect.any(Number), expiresAt: expect.any(Number) };
    expect(tokens).toContainEqual(listed);
    expect(JSON.stringify(tokens)).not.toContain(token);
    const program = new Api(product.url, token);
    expect(await (await program.request("GET", "/api/me")).json()).toEqual({ user: "tina" });
    const sessionId = await program.createSession();
    expect(sseChunks(await (await program.chat(sessionId, "/stream 3 0")).text()).at(-1)?.type).toBe("finish");
  });

  it("ACL8: a forged, changed or foreign token is refused", async () => {
    const { token } = await newToken(await Api.of(product, "tina"));
    const changed = token.replace(/.$/, (last) => (last === "0" ? "1" : "0"));
    for (const bad of [changed, "aot_x", `${token}0`, token.replace("aot_", "aot_A")]) {
      expect((await new Api(product.url, bad).request("GET", "/api/me")).status).toBe(401);
    }
  });

  it("ACL9: revoking one closes its sockets and streams within a second, and nobody else's", async () => {
    const owner = await Api.of(product, "uma");
    const { id, token } = await newToken(owner);
    const program = new Api(product.url, token);
    const sessionId = await owner.createSession();
    const [mine, theirs] = [new V2Reader(owner, sessionId), new V2Reader(program, sessionId)];
    await Promise.all([mine.connect(), theirs.connect()]);
    const { closed } = theirs;
    const stream = await program.request("POST", `/api/sessions/${sessionId}/chat`, {
      messages: [{ role: "user", content: "/stream 100000 20" }],
      onDisconnect: "detach",
    });
    const revokedAt = Date.now();
    expect((await owner.request("DELETE", `/api/tokens/${id}`)).status).toBe(204);
    await closed;
    expect(sseChunks(await stream.text()).at(-1)).toEqual({ type: "error", errorText: "The API token was revoked." });
    expect(Date.now() - revokedAt).toBeLessThan(1000);
    expect((await program.request("GET", "/api/me")).status).toBe(401);
    expect((await owner.request("DELETE", `/api/tokens/${id}`)).status).toBe(404);
    const before = mine.events.length;
    await mine.until(({ events }) => events.length > before + 5);
    expect((await owner.request("POST", `/api/sessions/${sessionId}/terminate`)).status).toBe(200);
    mine.close();
  });

  it("ACL9: a token that expires closes what it had opened", async () => {
    const owner = await Api.of(product, "vera");
    const sessionId = await owner.createSession();
    const brief = await Api.of(product, "vera", "2s");
    const reader = new V2Reader(brief, sessionId);
    await reader.connect();
    await reader.closed;
    expect((await brief.request("GET", "/api/me")).status).toBe(401);
  });
});

describe("the end of a session", () => {
  it("LIFE2: a terminated session can be read and asks for nothing more", async () => {
    const api = await Api.of(product);
    const sessionId = await api.createSession();
    const running = await api.chat(sessionId, "/stream 100000 20");
    const waiting = await api.chat(sessionId, "/stream 3 0");
    const terminated = await api.request("POST", `/api/sessions/${sessionId}/terminate`);
    expect([terminated.status, (await terminated.json()).status]).toEqual([200, "terminated"]);
    expect(sseChunks(await running.text()).at(-1)?.messageMetadata).toEqual({ canceled: true });
    expect(sseChunks(await waiting.text()).at(-1)).toEqual({ type: "error", errorText: "The session was terminated." });
    expect((await api.chat(sessionId, "hello")).status).toBe(409);
    expect((await api.request("GET", `/api/sessions/${sessionId}/messages`)).status).toBe(200);
    const { audit } = await (await api.request("GET", `/api/sessions/${sessionId}/audit`)).json();
    expect(audit.map((entry: { action: string }) => entry.action)).toEqual(["prompt", "prompt", "terminate"]);
  });
});
