import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { Api, sseChunks } from "../src/api.ts";
import { type ChatClient, createClient } from "../src/clients/create-client.ts";
import { Product } from "../src/product.ts";
import { expectHistory, expectSound, expectUsable, reply, Scene, VERSIONS } from "../src/scene.ts";

const shared = inject("product");
const UNKNOWN = "ses_00000000000000000000ffffffffff";

/** What a client got whose request was refused: an error it can show, and no stuck status. */
async function expectRefused(client: ChatClient, status: number, text: string): Promise<void> {
  await client.send("Hello?");
  await client.waitUntilReady();
  expect([client.status, client.exchanges.at(-1)?.status]).toEqual(["error", status]);
  expect(client.error?.message).toContain(text);
  await expectSound(client);
}

describe.concurrent.each(VERSIONS)("AI SDK %s", (version) => {
  it.each([
    ["/error", "failed on purpose"],
    ["/crash", "ended unexpectedly"],
  ])("TR9 RUN8 SSE3: after %s the client has the reason and can go on", async (prompt, reason) => {
    const scene = await Scene.open(shared);
    const client = scene.client(version);
    await client.send(prompt);
    expect([client.status, client.error?.message]).toEqual(["error", expect.stringContaining(reason)]);
    expect(client.messages[1]?.metadata).toEqual({ error: client.error?.message });
    await expectHistory(scene, client);
    await expectUsable(client);
    expect(await scene.endings(2)).toEqual(["error", "end_turn"]);
  });

  it("ACL1 ACL2 ACL6: no token, a stranger, a viewer who prompts, a session that is not there", async () => {
    const scene = await Scene.open(shared);
    const api = (user: string) => Api.of(shared, user);
    await scene.api.share(scene.sessionId, "vera", "viewer");
    const nobody = createClient(version, { api: scene.url, chatId: scene.sessionId });
    await expectRefused(nobody, 401, "unauthorized");
    await expectRefused(scene.client(version, { as: await api("mallory") }), 404, "not_found");
    await expectRefused(scene.client(version, { as: await api("vera") }), 404, "not_found");
    const url = `${shared.url}/api/sessions/${UNKNOWN}/chat`;
    await expectRefused(createClient(version, { api: url, chatId: "x", headers: scene.api.headers }), 404, "not_found");
    const resumed = scene.client(version, { as: await api("mallory") });
    await resumed.resume();
    expect([resumed.status, resumed.exchanges[0]?.status]).toEqual(["error", 404]);
    expect(scene.logged("message.create")).toEqual([]);
    const client = scene.client(version);
    await client.send("/stream 3 0");
    const viewer = await scene.reloaded(version, { as: await api("vera") });
    await viewer.resume();
    expect([viewer.status, reply(viewer)]).toEqual(["ready", "t0 t1 t2 "]);
    await expectUsable(client);
  });
});

describe("a product of its own: idle limit", () => {
  let product: Product;
  beforeAll(async () => {
    product = await Product.start({ TIMES: '{"idleMs":2000}' });
  });
  afterAll(() => product.destroy());

  it.concurrent.each(VERSIONS)("TURN7 SSE3: AI SDK %s is told of an agent that says nothing", async (version) => {
    const scene = await Scene.open(product);
    const client = scene.client(version);
    await client.send("/hang");
    expect([client.status, client.error?.message]).toEqual(["error", expect.stringContaining("no sign of life")]);
    await expectHistory(scene, client);
    await expectUsable(client);
    expect(await scene.endings(2)).toEqual(["error", "end_turn"]);
  });

  it.concurrent.each(VERSIONS)("TURN7: AI SDK %s may wait for a person as long as it takes", async (version) => {
    const scene = await Scene.open(product);
    const client = scene.client(version);
    const sending = client.send("/ask");
    const questionId = await scene.question();
    // Another session's turn that hangs is given up twice in this time.
    const other = await scene.api.createSession();
    for (const _ of [1, 2])
      expect(await lastChunk(await scene.api.chat(other, "/hang"))).toMatchObject({ type: "error" });
    expect([client.status, scene.running]).toEqual(["streaming", true]);
    expect(await scene.api.answer(scene.sessionId, questionId, { value: "red" })).toBe(200);
    await sending;
    expect(reply(client)).toContain('You chose "red".');
    await expectUsable(client);
  });
});

describe("a product of its own: kill -9 of the runner", () => {
  it("TURN5 RUN6 SSE3: all clients of the turn are told, and the next prompt works", async () => {
    const product = await Product.start();
    try {
      const scenes = await Promise.all(VERSIONS.map(() => Scene.open(product)));
      const clients = scenes.map((scene, index) => scene.client(VERSIONS[index] ?? "7"));
      const sending = clients.map((client) => client.send("/stream 100000 10"));
      await Promise.all(clients.map((client) => client.until(() => reply(client).length > 50)));
      process.kill(product.runnerPid(), "SIGKILL");
      await Promise.all(sending);
      for (const client of clients) {
        expect([client.status, client.error?.message]).toEqual(["error", expect.stringMatching(/runner|restarted/i)]);
      }
      await Promise.all(scenes.map(async (scene, index) => expectHistory(scene, clients[index] ?? scene.client("7"))));
      await Promise.all(clients.map((client) => expectUsable(client)));
    } finally {
      await product.destroy();
    }
  });
});

describe("a product of its own: the adapter is off", () => {
  it("SSE3: ENABLE_AI_SDK_ADAPTER=false answers 404 on every chat route, and the rest works", async () => {
    const product = await Product.start({ ENABLE_AI_SDK_ADAPTER: "false" });
    try {
      const scene = await Scene.open(product);
      for (const version of VERSIONS) await expectRefused(scene.client(version), 404, "adapter is off");
      for (const path of [`/api/sessions/${scene.sessionId}/chat/x/stream`, "/api/chat/x/stream"]) {
        expect((await scene.api.request("GET", path)).status).toBe(404);
      }
      expect((await scene.api.request("POST", "/api/chat", { id: "x", messages: [] })).status).toBe(404);
      const upgrade = { ...scene.api.headers, connection: "upgrade", upgrade: "websocket" };
      expect(await upgradeStatus(scene.url, upgrade)).toBe(404);
      scene.reader.send({ type: "prompt", id: "p1", text: "Hello" });
      expect(await scene.endings()).toEqual(["end_turn"]);
    } finally {
      await product.destroy();
    }
  });
});

async function lastChunk(response: Response): Promise<unknown> {
  return sseChunks(await response.text()).at(-1);
}

/** `fetch` cannot ask for an upgrade. */
async function upgradeStatus(url: string, headers: Record<string, string>): Promise<number | undefined> {
  const { request } = await import("node:http");
  const { promise, resolve, reject } = Promise.withResolvers<number | undefined>();
  const key = { "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==", "sec-websocket-version": "13" };
  const asked = request(url, { headers: { ...headers, ...key } });
  asked.on("response", ({ statusCode }) => resolve(statusCode));
  asked.on("upgrade", (_, socket) => {
    socket.destroy();
    resolve(101);
  });
  asked.on("error", reject).end();
  return promise;
}
