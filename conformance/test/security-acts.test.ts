import { randomUUID } from "node:crypto";
import { mintToken } from "@agent-ops/cli/tokens";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { knock } from "../src/access/knock.ts";
import { Api } from "../src/api.ts";
import { ObedientHost } from "../src/obedient-host.ts";
import { readSecrets } from "../src/secrets.ts";

const product = inject("product");

describe("ACL12: an approval for all times to come", () => {
  let host: ObedientHost;
  let api: Api;
  beforeAll(async () => {
    host = await ObedientHost.join(product);
    api = await Api.of(product, `approver-${randomUUID().slice(0, 8)}`);
  });
  afterAll(() => host.leave());

  /** A session whose agent waits for an approval. */
  async function asking(): Promise<string> {
    const sessionId: string = (await (await api.request("POST", "/api/sessions", { agent: host.agent })).json()).id;
    const messages = [{ role: "user", content: "delete it" }];
    const body = { messages, onDisconnect: "detach" };
    await (await api.request("POST", `/api/sessions/${sessionId}/chat`, body)).body?.cancel();
    await expect.poll(() => host.runner(sessionId)?.turnId).toBeDefined();
    host.runner(sessionId)?.ask({ questionId: "q", kind: "approval", prompt: "May I?", toolName: "run_command" });
    await expect.poll(() => api.answer(sessionId, "q", {})).toBe(400);
    return sessionId;
  }

  async function answersIn(sessionId: string): Promise<string[]> {
    const { audit } = await (await api.request("GET", `/api/sessions/${sessionId}/audit`)).json();
    return audit.slice(1).map(({ action, detail }: { action: string; detail: string }) => `${action} ${detail}`);
  }

  it("ACL12: is told apart in the audit log, and holds in its own session alone", async () => {
    const [here, there] = [await asking(), await asking()];
    expect(await api.answer(here, "q", { approved: true, always: true })).toBe(200);
    await expect.poll(() => host.runner(here)?.answers[0]?.answer).toEqual({ approved: true, always: true });
    expect(await answersIn(here)).toEqual(["approve-always run_command"]);
    expect(host.runner(there)?.answers).toEqual([]);
    expect(await answersIn(there)).toEqual([]);
    expect(await api.answer(there, "q", { approved: true })).toBe(200);
    expect(await answersIn(there)).toEqual(["answer q"]);
  });

  it("ACL12: a refusal is none, whatever it says", async () => {
    const sessionId = await asking();
    expect(await api.answer(sessionId, "q", { approved: false, always: true })).toBe(200);
    expect(await answersIn(sessionId)).toEqual(["answer q"]);
  });
});

describe("ACL3: the sign-in link", () => {
  const code = (ttl = "10m", secret = readSecrets(product.data).auth) =>
    mintToken(secret, "sam", { audience: "agent-ops:sign-in", ttl });
  const exchange = (value: string) =>
    fetch(`${product.url}/api/auth/exchange`, { method: "POST", body: JSON.stringify({ code: value }) });

  it("ACL3: signs one in, however many come with it at once", async () => {
    const value = await code();
    const answers = await Promise.all(Array.from({ length: 20 }, () => exchange(value)));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, ...Array(19).fill(401)]);
  });

  it("ACL3: signs nobody in when it is late, or of another installation", async () => {
    expect((await exchange(await code("-1s"))).status).toBe(401);
    expect((await exchange(await code("10m", "another-secret-that-is-long-enough"))).status).toBe(401);
  });

  it("ACL3: the page that it opens tells no other page about it", async () => {
    const page = await fetch(`${product.url}/?token=${await code()}`);
    expect([page.status, page.headers.get("referrer-policy")]).toEqual([200, "no-referrer"]);
    expect(page.headers.get("content-security-policy")).toContain("frame-ancestors 'none'");
    expect(await page.text()).not.toMatch(/src="https?:|href="https?:/);
  });
});

describe("ACL1: ways around the door", () => {
  it("ACL1: what the worker says to its actors counts for nothing when others say it", async () => {
    const api = await Api.of(product, "door-owner");
    const id = await api.createSession();
    const claim = encodeURIComponent(JSON.stringify({ user: "door-owner", expiresAt: Date.now() + 60_000 }));
    const caller = { user: "", headers: { "x-agent-ops-access": claim, "x-agent-ops-user": "door-owner" } };
    for (const [path, socket] of [
      [`/api/sessions/${id}`, false],
      [`/api/sessions/${id}/ws`, true],
      [`/api/sessions/${id}/ws?ticket=x`, true],
      [`/api/sessions/${id}/chat`, true],
      [`/api/runner/sessions/${id}?epoch=0`, true],
    ] as const) {
      expect([path, (await knock(product.url + path, caller, { method: "GET", socket })).status]).toEqual([path, 401]);
    }
  });

  it("ACL1: no other spelling of an address leads past it", async () => {
    const api = await Api.of(product, "door-owner");
    const title = `secret-${randomUUID()}`;
    const { id } = await (await api.request("POST", "/api/sessions", { agent: "demo", title })).json();
    const spellings = [
      `//api/sessions/${id}`,
      `/api//sessions/${id}`,
      `/api/sessions//${id}`,
      `/api/sessions/${id}/`,
      `/API/sessions/${id}`,
      `/%61pi/sessions/${id}`,
      `/api/%73essions/${id}`,
      `/api/sessions/${id.replace("s", "%73")}`,
      `/x/../api/sessions/${id}`,
      `/healthz/../api/sessions/${id}`,
      `/healthz;/api/sessions/${id}`,
      `/metrics/..%2fapi/sessions/${id}`,
      `/api/auth/exchange/../../sessions/${id}`,
      `/api/runner/../sessions/${id}`,
    ];
    const nobody = { user: "", headers: {} };
    for (const path of spellings) {
      const { status, body } = await knock(product.url + path, nobody, { method: "GET" });
      expect(body, path).not.toContain(title);
      expect([200, 401, 404, 405], path).toContain(status);
    }
  });

  it("LIM7: nobody with a longer name becomes a member, or comes in", async () => {
    const api = await Api.of(product, "door-owner");
    const id = await api.createSession();
    const share = (name: string) => api.request("PUT", `/api/sessions/${id}/members/${name}`, { role: "viewer" });
    expect((await share("x".repeat(257))).status).toBe(400);
    expect((await share("x".repeat(256))).status).toBe(200);
    expect((await (await Api.of(product, "x".repeat(256))).request("GET", `/api/sessions/${id}`)).status).toBe(200);
    expect((await (await Api.of(product, "x".repeat(257))).request("GET", "/api/me")).status).toBe(401);
  });
});
