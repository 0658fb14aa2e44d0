import { describe, expect, inject, it } from "vitest";
import { Api } from "../src/api.ts";
import { textOf } from "../src/clients/create-client.ts";
import { expectSound, expectUsable, Scene, VERSIONS, words } from "../src/scene.ts";

const product = inject("product");

function deltasOf(scene: Scene, turnId: unknown): { seq: number }[] {
  return scene.log().filter((event) => event.type === "message.part.text-delta" && event.turnId === turnId);
}

describe.concurrent.each(VERSIONS)("AI SDK %s", (version) => {
  it("DIS1 TURN6: stop() really stops the agent when the grace period is over; the next message works", async () => {
    const scene = await Scene.open(product);
    const client = scene.client(version);
    const sending = client.send("/stream 100000 5");
    await client.until(({ messages }) => textOf(messages.at(-1)).length > 100);
    await client.stop();
    const stoppedAt = Date.now();
    await sending;
    expect([client.status, client.error, scene.endings()]).toEqual(["ready", undefined, []]);
    await scene.reader.untilTurnEnd();
    const [end] = scene.logged("message.finalize");
    expect(end).toMatchObject({ reason: "canceled" });
    expect(Number(end?.ts) - stoppedAt).toBeGreaterThan(2500);
    // The runner itself said so, soon after it was told: the session gives up on a silent one only after 5 s.
    const [left] = scene.logged("audit_log").filter(({ entry }) => entry.action === "left");
    expect(Number(end?.ts) - Number(left?.ts)).toBeLessThan(4000);
    await expectUsable(client);
    const last = deltasOf(scene, end?.turnId).at(-1);
    expect(last?.seq).toBeLessThan(Number(end?.seq));
    expect(scene.endings()).toEqual(["canceled", "end_turn"]);
    expect((await scene.history()).at(1)?.metadata).toEqual({ canceled: true });
  });

  it("DIS1 SSE5: stop() of a silent agent is noticed by the keep-alive", async () => {
    const scene = await Scene.open(product);
    const client = scene.client(version);
    const sending = client.send("/hang");
    await scene.reader.until(({ events }) => events.some((event) => event.type === "agentStatus"));
    await client.until(({ data }) => data.length > 0);
    await client.stop();
    await sending;
    await scene.reader.untilTurnEnd();
    expect(scene.endings()).toEqual(["canceled"]);
    await expectUsable(client);
  });

  it("DIS1: of two who leave alike, the one who comes back goes on, the other one's turn is aborted", async () => {
    const [one, other] = await Promise.all([Scene.open(product), Scene.open(product)]);
    const scenes = [one, other];
    const clients = scenes.map((scene) => scene.client(version));
    for (const client of clients) client.send("/stream 800 8").catch(() => undefined);
    await Promise.all(clients.map((client) => client.until(({ messages }) => textOf(messages.at(-1)).length > 100)));
    for (const client of clients) client.vanish();
    const back = await one.reloaded(version);
    await back.resume();
    await other.reader.untilTurnEnd();
    expect(one.endings()).toEqual(["end_turn"]);
    expect(other.endings()).toEqual(["canceled"]);
    expect(textOf(back.messages.at(-1))).toBe(words(800));
    const late = await other.reloaded(version);
    await late.resume();
    expect(late.exchanges.map(({ status }) => status)).toEqual([204]);
    await Promise.all([expectUsable(back), expectUsable(late)]);
  });

  it.each([
    ["query", { query: "?onDisconnect=detach" }],
    ["body", { body: { onDisconnect: "detach" } }],
    ["header", { headers: { "x-agent-ops-on-disconnect": "detach" } }],
  ])("DIS2 SSE12: detached by a %s, the turn runs on without anybody", async (_, options) => {
    const scene = await Scene.open(product);
    const client = scene.client(version, options);
    client.send("/stream 400 12").catch(() => undefined);
    await client.until(({ messages }) => textOf(messages.at(-1)).length > 50);
    client.vanish();
    await scene.reader.untilTurnEnd();
    expect(scene.endings()).toEqual(["end_turn"]);
    const back = await scene.reloaded(version, options);
    expect(textOf(back.messages.at(-1))).toBe(words(400));
    await expectUsable(back);
  });

  it("DIS4 SSE14: a queued prompt whose asker left is withdrawn, the turn before it goes on", async () => {
    const scene = await Scene.open(product);
    const bob = await Api.of(product, "bob");
    await scene.api.share(scene.sessionId, "bob", "collaborator");
    const client = scene.client(version);
    const sending = client.send("/stream 500 10");
    await client.until(({ messages }) => textOf(messages.at(-1)).length > 10);
    const waiting = scene.client(version, { as: bob });
    waiting.send("Never mind").catch(() => undefined);
    await waiting.until(({ data }) => data.some(({ type }) => type === "data-queue"));
    expect(waiting.data).toEqual([expect.objectContaining({ type: "data-queue", data: { position: 1 } })]);
    await waiting.stop();
    await sending;
    expect(textOf(client.messages.at(-1))).toBe(words(500));
    const queues = scene.logged("queue.state").map(({ items }) => items.length);
    expect([scene.endings(), queues]).toEqual([["end_turn"], [1, 0]]);
    await expectSound(waiting);
    await expectUsable(client);
  });
});
