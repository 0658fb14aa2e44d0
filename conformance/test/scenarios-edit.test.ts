import { describe, expect, inject, it } from "vitest";
import { sseChunks } from "../src/api.ts";
import type { ChatClient } from "../src/clients/create-client.ts";
import { expectHistory, expectUsable, reply, Scene, VERSIONS, words } from "../src/scene.ts";

const product = inject("product");

async function conversation(scene: Scene, client: ChatClient): Promise<string[]> {
  for (const prompt of ["/stream 3 0", "/stream 4 0", "/stream 5 0"]) await client.send(prompt);
  await scene.endings(3);
  return client.messages.map(({ id }) => id);
}

/** Sends what the client sent last once more, as a network that is unsure would. */
function repeat(scene: Scene, client: ChatClient): Promise<Response> {
  return scene.api.request("POST", `/api/sessions/${scene.sessionId}/chat`, client.exchanges.at(-1)?.body);
}

describe.concurrent.each(VERSIONS)("AI SDK %s", (version) => {
  it("TURN9 TURN2: an edit is a new turn, what it replaces leaves the history, twice is once", async () => {
    const scene = await Scene.open(product);
    const client = scene.client(version);
    const before = await conversation(scene, client);
    const editing = client.edit(String(before[2]), "/stream 60 10");
    await client.until(() => reply(client) !== "");
    const joined = await repeat(scene, client);
    await editing;
    expect(reply(client)).toBe(words(60));
    expect(client.messages.map(({ id }) => id).slice(0, 3)).toEqual(before.slice(0, 3));
    expect(before).not.toContain(client.messages[3]?.id);
    await expectHistory(scene, client);
    expect(sseChunks(await joined.text())[0]).toEqual({ type: "start", messageId: client.messages[3]?.id });
    expect(sseChunks(await (await repeat(scene, client)).text())[0]).toMatchObject({
      messageId: client.messages[3]?.id,
    });
    const gone = scene.logged("message.updated").flatMap(({ messageId, removed }) => (removed ? [messageId] : []));
    expect(gone).toEqual(before.slice(2));
    expect(await scene.endings(4)).toHaveLength(4);
    await expectUsable(client);
    await expectHistory(scene, client);
  });

  it("TURN9: an edit that changes nothing runs the prompt again, and what followed goes", async () => {
    const scene = await Scene.open(product);
    const client = scene.client(version);
    const before = await conversation(scene, client);
    await client.edit(String(before[0]), "/stream 3 0");
    expect(reply(client)).toBe(words(3));
    await expectHistory(scene, client);
    await expectUsable(client);
    await expectHistory(scene, client);
  });

  it("TURN9: regenerate runs the last prompt again; while it runs, the same request joins it", async () => {
    const scene = await Scene.open(product);
    const client = scene.client(version);
    const sending = client.send("/ask");
    await scene.answer({ value: "red" });
    await sending;
    const [asked, first] = client.messages.map(({ id }) => id);
    const again = client.regenerate();
    await scene.question(2);
    const joined = await repeat(scene, client);
    await scene.answer({ value: "blue" }, 2);
    await again;
    const [same, second] = client.messages.map(({ id }) => id);
    expect(same).toBe(asked);
    expect(second).not.toBe(first);
    expect(reply(client)).toBe('You chose "blue".');
    expect(sseChunks(await joined.text())[0]).toEqual({ type: "start", messageId: second });
    await expectHistory(scene, client);
    await expectUsable(client);
    expect(await scene.endings(3)).toHaveLength(3);
    await expectHistory(scene, client);
  });

  it("TURN9: regenerate of an earlier answer cuts the history there", async () => {
    const scene = await Scene.open(product);
    const client = scene.client(version);
    const before = await conversation(scene, client);
    await client.regenerate(String(before[3]));
    expect(client.messages).toHaveLength(4);
    expect(client.messages.map(({ id }) => id).slice(0, 3)).toEqual(before.slice(0, 3));
    expect(reply(client)).toBe(words(4));
    await expectHistory(scene, client);
    await expectUsable(client);
    await expectHistory(scene, client);
  });

  it("TURN9 DIS1: an answer that was stopped can be regenerated", async () => {
    const scene = await Scene.open(product);
    const client = scene.client(version);
    const sending = client.send("/stream 100000 10");
    await client.until(() => reply(client) !== "");
    await client.stop();
    await sending;
    const again = client.regenerate();
    await client.until(({ messages }) => messages.length === 2 && reply(client) !== "");
    expect(await scene.endings()).toEqual(["canceled"]);
    await client.stop();
    await again;
    expect(await scene.endings(2)).toEqual(["canceled", "canceled"]);
    await expectUsable(client);
  });

  it("TURN2 SSE4: the same message sent twice is one turn, also when it is over", async () => {
    const scene = await Scene.open(product);
    const client = scene.client(version);
    const sending = client.send("/stream 60 10");
    await client.until(() => reply(client) !== "");
    const joined = await repeat(scene, client);
    await sending;
    const late = await repeat(scene, client);
    const bodies = [sseChunks(await joined.text()), sseChunks(await late.text())];
    for (const chunks of bodies) expect(chunks[0]).toEqual({ type: "start", messageId: client.messages[1]?.id });
    expect(await scene.endings()).toHaveLength(1);
    await expectHistory(scene, client);
    await expectUsable(client);
  });
});
