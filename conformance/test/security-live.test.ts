import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { newApiToken } from "../src/access/identities.ts";
import { Api, sseChunks } from "../src/api.ts";
import { FrameSocket } from "../src/frame-socket.ts";
import { ObedientHost } from "../src/obedient-host.ts";
import { StubbornSocket } from "../src/stubborn-socket.ts";

const product = inject("product");
/** A second, and what a busy machine adds. */
const SOON_MS = 3_000;

let host: ObedientHost;
beforeAll(async () => {
  host = await ObedientHost.join(product);
});
afterAll(() => host.leave());

type Guest = { owner: Api; guest: Api; guestName: string; sessionId: string; path: string };

/** A session with a turn that runs, and a collaborator. */
async function scene(ttl = "1h"): Promise<Guest> {
  const suffix = randomUUID().slice(0, 8);
  const guestName = `guest-${suffix}`;
  const owner = await Api.of(product, `owner-${suffix}`);
  const created = await owner.request("POST", "/api/sessions", { agent: host.agent });
  const sessionId: string = (await created.json()).id;
  await owner.share(sessionId, guestName, "collaborator");
  await detachedPrompt(owner, sessionId, "running");
  return {
    owner,
    guest: await Api.of(product, guestName, ttl),
    guestName,
    sessionId,
    path: `/api/sessions/${sessionId}`,
  };
}

async function detachedPrompt(api: Api, sessionId: string, id: string): Promise<number> {
  const messages = [{ id, role: "user", content: id }];
  const response = await api.request("POST", `/api/sessions/${sessionId}/chat`, { messages, onDisconnect: "detach" });
  await response.body?.cancel();
  return response.status;
}

/** Everything that somebody can hold open; each tells when and how it ended. */
async function openAll(api: Api, path: string) {
  const resume = { type: "resume", requestId: "r", id: "x", headers: {}, body: {} };
  const [reader, chat] = await Promise.all([
    FrameSocket.open(api, `${path}/ws`),
    FrameSocket.open(api, `${path}/chat`),
  ]);
  await chat.ask(JSON.stringify(resume), (text) => text.includes('"text-delta"'));
  const stream = await api.request("GET", `${path}/chat/x/stream`);
  expect(stream.status).toBe(200);
  return { reader, chat, stream: stream.text() };
}

async function expectAllClosed(open: Awaited<ReturnType<typeof openAll>>, reason: string): Promise<void> {
  expect([await endOf(open.reader), await endOf(open.chat)]).toEqual([4404, 4404]);
  expect(sseChunks(await open.stream).at(-1)).toEqual({ type: "error", errorText: reason });
}

/** The code in the server's close frame; the runtime lets the connection below it linger. */
async function endOf(socket: FrameSocket): Promise<number> {
  await expect.poll(() => socket.isOpen).toBe(false);
  socket.socket.terminate();
  return socket.closed;
}

async function audit(api: Api, path: string): Promise<string[]> {
  const body = await (await api.request("GET", `${path}/audit`)).json();
  return body.audit.map(({ userId, action }: { userId: string; action: string }) => `${userId} ${action}`);
}

describe("what is open is closed", () => {
  it("ACL9: when a member is removed, and nobody else's", async () => {
    const { owner, guest, guestName, path } = await scene();
    const open = await openAll(guest, path);
    const own = await FrameSocket.open(owner, `${path}/ws`);
    const removedAt = performance.now();
    expect((await owner.request("DELETE", `${path}/members/${guestName}`)).status).toBe(204);
    await expectAllClosed(open, "You are no longer a member.");
    expect(performance.now() - removedAt).toBeLessThan(SOON_MS);
    await own.ask('{"type":"ping"}', (text) => text.includes("pong"));
    own.socket.close();
  });

  it("ACL9: when an API token is revoked, with the tickets it had asked for", async () => {
    const { owner, guest, path } = await scene();
    const { id, token } = await newApiToken(guest);
    const program = new Api(product.url, token);
    const open = await openAll(program, path);
    const { ticket } = await (await program.request("POST", `${path}/ticket`)).json();
    const revokedAt = performance.now();
    expect((await guest.request("DELETE", `/api/tokens/${id}`)).status).toBe(204);
    await expectAllClosed(open, "The API token was revoked.");
    expect(performance.now() - revokedAt).toBeLessThan(SOON_MS);
    const late = FrameSocket.open({ url: product.url, headers: {} }, `${path}/ws?ticket=${ticket}`);
    await expect(late).rejects.toThrow("401");
    expect(await audit(owner, path)).toHaveLength(2);
  });

  it("ACL9: when a token expires, to the second", async () => {
    const { owner, path, guest } = await scene("3s");
    const expiresAt = expiryOf(guest.token);
    const open = await openAll(guest, path);
    const { ticket } = await (await guest.request("POST", `${path}/ticket`)).json();
    await expectAllClosed(open, "Your sign-in has expired.");
    expect(Date.now()).toBeGreaterThanOrEqual(expiresAt);
    expect(Date.now() - expiresAt).toBeLessThan(SOON_MS);
    const late = FrameSocket.open({ url: product.url, headers: {} }, `${path}/ws?ticket=${ticket}`);
    await expect(late).rejects.toThrow("401");
    expect((await owner.request("GET", path)).status).toBe(200);
  });
});

describe("a client that does not take no for an answer", () => {
  const PROMPTS = {
    ws: { type: "prompt", id: "late", text: "late" },
    chat: {
      type: "send",
      requestId: "late",
      id: "x",
      headers: {},
      body: {},
      messages: [{ role: "user", content: "x" }],
    },
  };

  it.each(["ws", "chat"] as const)("ACL9: a removed member's /%s, kept open, does nothing more", async (door) => {
    const { owner, guest, guestName, path } = await scene();
    const socket = await StubbornSocket.open(product.url, `${path}/${door}`, guest.headers);
    await owner.request("DELETE", `${path}/members/${guestName}`);
    await expect.poll(() => socket.wasToldToLeave).toBe(true);
    socket.send(PROMPTS[door]);
    await expectUnmoved(owner, path, 3);
    socket.close();
  });

  it.each(["ws", "chat"] as const)("ACL9: a revoked token's /%s, kept open, does nothing more", async (door) => {
    const { owner, guest, path } = await scene();
    const { id, token } = await newApiToken(guest);
    const socket = await StubbornSocket.open(product.url, `${path}/${door}`, new Api(product.url, token).headers);
    await guest.request("DELETE", `/api/tokens/${id}`);
    await expect.poll(() => socket.wasToldToLeave).toBe(true);
    socket.send(PROMPTS[door]);
    await expectUnmoved(owner, path, 2);
    socket.close();
  });

  it("ACL9: whoever waited for a turn when they were removed does not get to see it", async () => {
    const { owner, guest, guestName, sessionId, path } = await scene();
    await owner.request("POST", `${path}/abort`, {});
    await expect.poll(async () => (await (await owner.request("GET", path)).json()).status).toBe("ready");
    const waiting = guest.request("GET", `${path}/chat/x/stream?wait=20`);
    const own = owner.request("GET", `${path}/chat/x/stream?wait=20`);
    await expect.poll(() => audit(owner, path)).toHaveLength(3);
    await owner.request("DELETE", `${path}/members/${guestName}`);
    await detachedPrompt(owner, sessionId, "secret");
    const answer = await waiting;
    expect([answer.status, await answer.text()]).toEqual([404, expect.not.stringContaining("secret")]);
    const seen = await own;
    expect(seen.status).toBe(200);
    await seen.body?.cancel();
  });
});

it("ACL7: whoever is removed as soon as they were added does not keep the session in their list", async () => {
  const { owner, guest, guestName, sessionId, path } = await scene();
  for (let round = 0; round < 20; round++) {
    await owner.share(sessionId, guestName, "viewer");
    await owner.request("PATCH", path, { title: `Round ${round}` });
    await owner.request("DELETE", `${path}/members/${guestName}`);
  }
  const listed = async () => (await (await guest.request("GET", "/api/sessions")).json()).sessions;
  await expect.poll(listed).toEqual([]);
  // Whatever was still on its way has arrived when a later change has.
  await owner.request("PATCH", path, { title: "Last" });
  await expect
    .poll(async () => JSON.stringify(await (await owner.request("GET", "/api/sessions")).json()))
    .toContain("Last");
  expect(await listed()).toEqual([]);
});

/** An act that comes after it is done, and nothing else was. */
async function expectUnmoved(owner: Api, path: string, acts: number): Promise<void> {
  expect((await owner.request("PATCH", path, { title: "After" })).status).toBe(200);
  const done = await audit(owner, path);
  expect(done).toHaveLength(acts + 1);
  expect(done.at(-1)).toMatch(/^owner-\w+ rename$/);
}

function expiryOf(token: string): number {
  return JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString()).exp * 1000;
}
