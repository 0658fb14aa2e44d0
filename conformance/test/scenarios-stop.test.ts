import { describe, expect, inject, it } from "vitest";
import { Api } from "../src/api.ts";
import { expectHistory, expectSound, expectUsable, reply, Scene, VERSIONS, words } from "../src/scene.ts";

const product = inject("product");
const GRACE_MS = 3000;

function deltasOf(scene: Scene, turnId: unknown): { seq: number }[] {
  return scene.log().filter((event) => event.type === "message.part.text-delta" && event.turnId === turnId);
}

describe.concurrent.each(VERSIONS)("AI SDK %s", (version) => {
  it("DIS1 TURN6: stop() really stops the agent when the grace period is over; the next message works", async () => {
    const scene = await Scene.open(product);
    const client = scene.client(version);
    const sending = client.send("/stream 100000 5");
    await client.until(() => reply(client).length > 100);
    const stoppedAt = Date.now();
    await client.stop();
    await sending;
    expect([client.status, client.error]).toEqual(["ready", undefined]);
    await scene.reader.untilTurnEnd();
    const [end] = scene.logged("message.finalize");
    expect(end).toMatchObject({ reason: "canceled" });
    const [left] = scene.logged("audit_log").filter(({ entry }) => entry.action === "left");
    expect(Number(left?.ts) - stoppedAt).toBeGreaterThanOrEqual(GRACE_MS);
    // The runner itself said so: the session gives up on a silent one 5 s after it was told.
    expect(Number(end?.ts) - Number(left?.ts)).toBeLessThan(5000);
    await expectUsable(client);
    const last = deltasOf(scene, end?.turnId).at(-1);
    expect(last?.seq).toBeLessThan(Number(end?.seq));
    expect(await scene.endings(2)).toEqual(["canceled", "end_turn"]);
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
    expect(await scene.endings()).toEqual(["canceled"]);
    await expectUsable(client);
  });

  it("DIS1: of two who leave alike, the one who comes back goes on, the other one's turn is aborted", async () => {
    const [one, other] = await Promise.all([Scene.open(product), Scene.open(product)]);
    const asked = async (scene: Scene, prompt: string) => {
      const client = scene.client(version);
      client.send(prompt).catch(() => undefined);
      await client.until(() => reply(client).length > 100);
      return client;
    };
    const clients = [await asked(other, "/stream 100000 8"), await asked(one, "/stream 100000 8")];
    const back = await one.reloaded(version);
    for (const client of clients) client.vanish();
    const resuming = back.resume();
    const vanishedAt = Date.now();
    expect(await other.endings()).toEqual(["canceled"]);
    await one.goesOnUntil(vanishedAt + 4000);
    expect([back.status, one.running]).toEqual(["streaming", true]);
    await one.abort();
    await resuming;
    expect(reply(back).length).toBeGreaterThan(1000);
    await expectHistory(one, back);
    const late = await other.reloaded(version);
    await late.resume();
    expect(late.exchanges.map(({ status }) => status)).toEqual([204]);
    await Promise.all([expectUsable(back), expectUsable(late)]);
  });

  it("DIS2 SSE12: detached by a query, a field or a header, a turn runs on without anybody", async () => {
    const ways = [
      { query: "?onDisconnect=detach" },
      { body: { onDisconnect: "detach" } },
      { headers: { "x-agent-ops-on-disconnect": "detach" } },
    ];
    const runs = ways.map(async (options) => {
      const scene = await Scene.open(product);
      const client = scene.client(version, options);
      client.send("/stream 400 10").catch(() => undefined);
      await client.until(() => reply(client).length > 50);
      client.vanish();
      expect(await scene.endings()).toEqual(["end_turn"]);
      const back = await scene.reloaded(version, options);
      expect(reply(back)).toBe(words(400));
      await expectUsable(back);
    });
    await Promise.all(runs);
  });

  it("DIS4 SSE14: a queued prompt whose asker left is withdrawn, the turn before it goes on", async () => {
    const scene = await Scene.open(product);
    const bob = await Api.of(product, "bob");
    await scene.api.share(scene.sessionId, "bob", "collaborator");
    const client = scene.client(version);
    const sending = client.send("/stream 100000 10");
    await client.until(() => reply(client).length > 10);
    const waiting = scene.client(version, { as: bob });
    waiting.send("Never mind").catch(() => undefined);
    await waiting.until(({ data }) => data.length > 0);
    expect(waiting.data).toEqual([expect.objectContaining({ type: "data-queue", data: { position: 1 } })]);
    await waiting.stop();
    await scene.reader.until(() => scene.logged("queue.state").length === 2);
    expect(scene.logged("queue.state").map(({ items }) => items.length)).toEqual([1, 0]);
    expect([client.status, scene.running]).toEqual(["streaming", true]);
    await scene.abort();
    await sending;
    expect(client.messages.at(-1)?.metadata).toEqual({ canceled: true });
    expect((await scene.history()).map(({ role }) => role)).toEqual(["user", "assistant"]);
    await expectSound(waiting);
    await expectUsable(client);
  });
});
