import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { newApiToken, WIDGET_ORIGIN } from "../src/access/identities.ts";
import { Visitor } from "../src/access/visitor.ts";
import { Api } from "../src/api.ts";
import type { FrameSocket } from "../src/frame-socket.ts";
import { ObedientHost } from "../src/obedient-host.ts";

const product = inject("product");

let host: ObedientHost;
beforeAll(async () => {
  host = await ObedientHost.join(product);
});
afterAll(() => host.leave());

async function scene(): Promise<{ owner: Api; ownerName: string; sessionId: string; path: string }> {
  const ownerName = `owner-${randomUUID().slice(0, 8)}`;
  const owner = await Api.of(product, ownerName);
  const created = await owner.request("POST", "/api/sessions", { agent: host.agent });
  const sessionId: string = (await created.json()).id;
  return { owner, ownerName, sessionId, path: `/api/sessions/${sessionId}` };
}

/** The turn that the agent works on at present. */
async function turnOf(sessionId: string): Promise<string> {
  await expect.poll(() => host.runner(sessionId)?.turnId).toBeDefined();
  return host.runner(sessionId)?.turnId ?? "";
}

async function auditOf(owner: Api, path: string): Promise<string[]> {
  const { audit } = await (await owner.request("GET", `${path}/audit`)).json();
  return audit.map(({ userId, action }: { userId: string; action: string }) => `${userId} ${action}`);
}

describe("a widget token", () => {
  it("ACL11: lets a visitor ask, read and stop, in their own name", async () => {
    const { owner, ownerName, sessionId, path } = await scene();
    const visitor = await Visitor.of(owner, sessionId, { visitor: "customer-17" });
    expect(visitor.user).toBe("widget:customer-17");
    expect((await visitor.ask("hello")).status).toBe(200);
    await turnOf(sessionId);
    expect((await visitor.call({ method: "GET", path: "/messages" })).body).toContain("hello");
    expect((await visitor.call({ method: "GET", path: "/chat/x/stream" })).status).toBe(200);
    expect((await visitor.call({ method: "POST", path: "/abort", body: {} })).status).toBe(202);
    const acts = [`${ownerName} widget-token`, "widget:customer-17 prompt", "widget:customer-17 abort"];
    expect(await auditOf(owner, path)).toEqual(acts);
  });

  it("ACL11: stops nothing that others asked for", async () => {
    const { owner, sessionId } = await scene();
    const [one, other] = [await Visitor.of(owner, sessionId), await Visitor.of(owner, sessionId)];
    await one.ask("mine");
    const turnId = await turnOf(sessionId);
    for (const body of [{}, { turnId }]) {
      expect((await other.call({ method: "POST", path: "/abort", body })).status).toBe(403);
    }
    expect(await turnOf(sessionId)).toBe(turnId);
  });

  it("ACL11: answers a question, and approves nothing, whichever way it tries", async () => {
    const { owner, sessionId, path } = await scene();
    const visitor = await Visitor.of(owner, sessionId);
    await visitor.ask("hello");
    await turnOf(sessionId);
    const answer = (id: string, body: unknown) => visitor.call({ method: "POST", path: `/questions/${id}`, body });
    host.runner(sessionId)?.ask({ questionId: "name", kind: "text", prompt: "Your name?" });
    await expect.poll(async () => (await answer("name", { value: "Ann" })).status).toBe(200);
    host.runner(sessionId)?.ask({ questionId: "delete", kind: "approval", prompt: "Delete all?" });
    await expect.poll(async () => (await answer("delete", { approved: true })).status).toBe(403);
    const options = [{ value: "yes", label: "Allow" }];
    host.runner(sessionId)?.ask({ questionId: "run", kind: "choice", permits: true, prompt: "Run it?", options });
    await expect.poll(async () => (await answer("run", { value: "yes" })).status).toBe(403);
    const approval = { state: "approval-responded", approval: { id: "delete", approved: true } };
    const messages = [{ role: "assistant", parts: [{ type: "tool-x", ...approval }] }];
    expect((await visitor.call({ method: "POST", path: "/chat", body: { messages } })).status).toBe(403);
    expect(await owner.answer(sessionId, "delete", { approved: false })).toBe(200);
    const told = () => host.runner(sessionId)?.answers.map(({ questionId }) => questionId);
    await expect.poll(told).toEqual(["name", "delete"]);
    expect((await auditOf(owner, path)).filter((act) => act.endsWith(" answer"))).toHaveLength(2);
  });

  it("ACL11: neither edits nor repeats what was said", async () => {
    const { owner, sessionId } = await scene();
    const visitor = await Visitor.of(owner, sessionId);
    await visitor.ask("hello");
    const messages = [{ id: "hello", role: "user", content: "changed" }];
    for (const how of [{ trigger: "regenerate-message" }, { messageId: "hello" }]) {
      const { status } = await visitor.call({ method: "POST", path: "/chat", body: { messages, ...how } });
      expect(status).toBe(403);
    }
  });

  it("ACL11: is good from its origin alone", async () => {
    const { owner, sessionId } = await scene();
    const visitor = await Visitor.of(owner, sessionId);
    const others = ["https://evil.example", "http://widget.example", `${WIDGET_ORIGIN}:8443`, "null"];
    for (const headers of [{}, ...others.map((origin) => ({ origin }))]) {
      const { status } = await visitor.call({ method: "GET", path: "/messages", headers });
      expect([headers, status]).toEqual([headers, 401]);
      const socket = visitor.socket("/chat", { authorization: `Bearer ${visitor.token}`, ...headers });
      await expect(socket).rejects.toThrow("401");
    }
  });

  it("ACL11: is good for its session alone, and cannot be changed", async () => {
    const { owner, sessionId } = await scene();
    const visitor = await Visitor.of(owner, sessionId);
    const other = await (await owner.request("POST", "/api/sessions", { agent: host.agent })).json();
    for (const path of ["", "/messages", "/chat/x/stream"]) {
      expect((await visitor.call({ method: "GET", path }, other.id)).status).toBe(404);
    }
    const [head = "", mark = ""] = visitor.token.replace("aow_", "").split(".");
    const claims = JSON.parse(Buffer.from(head, "base64url").toString());
    const forged = [
      { ...claims, widget: { ...claims.widget, sessionId: other.id } },
      { ...claims, expiresAt: claims.expiresAt + 1 },
      { user: claims.widget.by, expiresAt: claims.expiresAt },
    ].map((body) => Buffer.from(JSON.stringify(body)).toString("base64url"));
    const marks = forged.map((body) => `aow_${body}.${mark}`);
    for (const token of [...marks, `aow_${head}.${"0".repeat(64)}`, `aow_${head}.`, `aow_${head}`, "aow_"]) {
      const headers = { authorization: `Bearer ${token}`, origin: WIDGET_ORIGIN };
      const { status } = await visitor.call({ method: "GET", path: "/messages", headers });
      expect([token, status]).toEqual([token, 401]);
    }
  });

  it("ACL11: opens the chat's socket with a ticket, and no other", async () => {
    const { owner, sessionId } = await scene();
    const visitor = await Visitor.of(owner, sessionId);
    const ticket = async () => {
      const { body } = await visitor.call({ method: "POST", path: "/ticket" });
      return JSON.parse(body).ticket;
    };
    const none = { origin: WIDGET_ORIGIN };
    const chat = await visitor.socket(`/chat?ticket=${await ticket()}`, none);
    await chat.ask(JSON.stringify({ type: "resume", requestId: "r", id: "x", headers: {}, body: {} }), (text) =>
      text.includes("no-active"),
    );
    chat.socket.close();
    await expect(visitor.socket(`/ws?ticket=${await ticket()}`, none)).rejects.toThrow("403");
    await expect(visitor.socket("/ws")).rejects.toThrow("403");
    const elsewhere = { origin: "https://evil.example" };
    await expect(visitor.socket(`/chat?ticket=${await ticket()}`, elsewhere)).rejects.toThrow("401");
  });

  it("LIM3: does ten things a minute, which keeps nobody else from theirs", async () => {
    const { owner, sessionId } = await scene();
    const [busy, other] = [await Visitor.of(owner, sessionId), await Visitor.of(owner, sessionId)];
    const statuses: number[] = [];
    for (let count = 0; count < 15; count++) statuses.push((await busy.ask(`prompt-${count}`)).status);
    expect(statuses.slice(0, 10)).toEqual(Array(10).fill(200));
    expect(statuses.filter((status) => status === 429).length).toBeGreaterThanOrEqual(4);
    expect((await other.ask("mine")).status).toBe(200);
    expect((await owner.request("PATCH", `/api/sessions/${sessionId}`, { title: "Mine" })).status).toBe(200);
    const sockets = await Promise.all(Array.from({ length: 5 }, () => other.socket()));
    await expect(other.socket()).rejects.toThrow("429");
    for (const { socket } of sockets) socket.close();
  });

  it.each([
    { origin: "https://evil.example" },
    { origin: `${WIDGET_ORIGIN}/` },
    { origin: `${WIDGET_ORIGIN}/page` },
    { origin: "widget.example" },
    { origin: "*" },
    { origin: "javascript:alert(1)" },
    { origin: null },
    { minutes: 61 },
    { minutes: 0 },
    { minutes: 1e9 },
    { visitor: "a b" },
    { visitor: "x".repeat(65) },
  ])("ACL11: is not made of %j", async (more) => {
    const { owner, path } = await scene();
    const response = await owner.request("POST", `${path}/widget-tokens`, { origin: WIDGET_ORIGIN, ...more });
    expect([response.status, response.headers.get("x-error-code")]).toEqual([400, "bad_request"]);
  });

  it("ACL11 LIFE3: is not made for an orchestrator session, which is its owner's alone", async () => {
    const { owner } = await scene();
    const created = await owner.request("POST", "/api/sessions", { agent: host.agent, orchestrator: true });
    const path = `/api/sessions/${(await created.json()).id}/widget-tokens`;
    expect((await owner.request("POST", path, { origin: WIDGET_ORIGIN })).status).toBe(403);
  });
});

describe("the end of a widget token", () => {
  async function openChat(visitor: Visitor): Promise<FrameSocket> {
    const chat = await visitor.socket();
    await chat.ask(JSON.stringify({ type: "resume", requestId: "r", id: "x", headers: {}, body: {} }), (text) =>
      text.includes("no-active"),
    );
    return chat;
  }

  it("ACL9 ACL11: comes with the API token that it was made with", async () => {
    const { owner, sessionId } = await scene();
    const { id, token } = await newApiToken(owner);
    const visitor = await Visitor.of(new Api(product.url, token), sessionId);
    const chat = await openChat(visitor);
    expect((await owner.request("DELETE", `/api/tokens/${id}`)).status).toBe(204);
    await expect.poll(() => chat.isOpen).toBe(false);
    expect((await visitor.call({ method: "GET", path: "/messages" })).status).toBe(401);
    chat.socket.terminate();
  });

  it.each(["viewer", undefined])("ACL9 ACL11: comes when its maker is no owner any more (%s)", async (role) => {
    const { owner, ownerName, sessionId, path } = await scene();
    const visitor = await Visitor.of(owner, sessionId);
    const chat = await openChat(visitor);
    const heir = `heir-${ownerName}`;
    await owner.share(sessionId, heir, "owner");
    const heirApi = await Api.of(product, heir);
    if (role) await heirApi.share(sessionId, ownerName, role);
    else await heirApi.request("DELETE", `${path}/members/${ownerName}`);
    await expect.poll(() => chat.isOpen).toBe(false);
    expect((await visitor.call({ method: "GET", path: "/messages" })).status).toBe(404);
    chat.socket.terminate();
  });
});
