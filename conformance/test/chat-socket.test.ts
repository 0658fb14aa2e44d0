import { checkStream } from "@agent-ops/ai-sdk/stream-checker";
import { afterAll, describe, expect, inject, it } from "vitest";
import { Api } from "../src/api.ts";
import type { ChatClient } from "../src/clients/create-client.ts";
import { openChatOver } from "../src/clients/sdk7.ts";
import { type SocketFrame, SocketLine } from "../src/clients/socket-transport.ts";
import { expectHistory, expectUsable, reply, Scene, words } from "../src/scene.ts";

const product = inject("product");
const lines: SocketLine[] = [];
afterAll(() => {
  for (const line of lines) line.close();
});

async function open(headers: Record<string, string> = {}, as?: Api) {
  const scene = await Scene.open(product);
  return { scene, ...connect(scene, { headers, as }) };
}

type Way = { headers?: Record<string, string>; as?: Api | undefined; messages?: ChatClient["messages"] };

function connect(scene: Scene, { headers = {}, as = scene.api, messages = [] }: Way = {}) {
  const line = new SocketLine(as, scene.sessionId, headers);
  lines.push(line);
  return { line, client: scene.client("7", { openChat: openChatOver(line.transport), messages }) };
}

/** Each stream is told as WSC1 says, and is what a stream must be. */
function expectSoundFrames(frames: readonly SocketFrame[], options: { cut?: boolean } = {}): void {
  expect(frames[0]?.type).toBe("start");
  if (!options.cut) expect(frames.at(-1)?.type).toBe("end");
  const chunks = frames.flatMap(({ type, chunk }) => (type === "chunk" && chunk ? [chunk] : []));
  expect(checkStream(chunks).filter(({ code }) => !(options.cut && code === "no-end"))).toEqual([]);
  const sequences = frames.flatMap(({ sequence }) => (sequence === undefined ? [] : [sequence]));
  expect(sequences).toEqual(sequences.map((_, index) => index));
}

describe.concurrent("the AI SDK's WebSocketChatTransport", () => {
  it("WSC1 ACL4: holds a conversation on one socket, let in by a ticket", async () => {
    const { scene, line, client } = await open();
    for (const prompt of ["Hello", "/think", "/tools 2", "/progress", "/tool-error", "/steps 2", "/empty"]) {
      await client.send(prompt);
      expect([prompt, client.status, client.error]).toEqual([prompt, "ready", undefined]);
    }
    expect(line.connections).toBe(1);
    expect(line.streams()).toHaveLength(7);
    for (const frames of line.streams()) expectSoundFrames(frames);
    await expectHistory(scene, client);
    await expectUsable(client);
  });

  it("WSC2: stop() aborts the turn at once, and the next message works", async () => {
    const { scene, line, client } = await open();
    const sending = client.send("/stream 100000 5");
    await client.until(() => reply(client).length > 50);
    await client.stop();
    const stoppedAt = Date.now();
    await sending;
    expect(client.status).toBe("ready");
    expect(await scene.endings()).toEqual(["canceled"]);
    expect(Number(scene.logged("message.finalize")[0]?.ts) - stoppedAt).toBeLessThan(2500);
    await expectUsable(client);
    expect(line.connections).toBe(1);
  });

  it("WSC2: stop() of a prompt that waits withdraws it", async () => {
    const { scene, client } = await open();
    const sending = client.send("/stream 100000 10");
    await client.until(() => reply(client) !== "");
    const { line, client: waiting } = connect(scene);
    const queued = waiting.send("Never mind");
    await scene.reader.until(() => scene.logged("queue.state").length === 1);
    await waiting.until(() => line.frames.length > 0);
    await waiting.stop();
    await queued;
    await scene.reader.until(() => scene.logged("queue.state").length === 2);
    expect(scene.logged("queue.state").map(({ items }) => items.length)).toEqual([1, 0]);
    await client.stop();
    await sending;
    expect(await scene.endings()).toEqual(["canceled"]);
    await expectUsable(waiting);
  });

  it("WSC1 WSC3: a socket that breaks aborts nothing; resuming on another one is a replay, with every part once", async () => {
    const { scene, line, client } = await open();
    const sending = client.send("/tour");
    await client.until(({ messages }) => (messages[1]?.parts.length ?? 0) > 3);
    line.cut();
    await sending;
    expect([client.status, client.error?.message]).toEqual(["error", expect.stringContaining("closed")]);
    const resuming = client.resume();
    await client.until(() => (line.streams()[1]?.length ?? 0) > 0);
    await scene.answer({ approved: true });
    await resuming;
    const [first = [], second = []] = line.streams();
    expectSoundFrames(first, { cut: true });
    expectSoundFrames(second);
    expect(line.connections).toBe(2);
    await expectHistory(scene, client);
    await expectUsable(client);
    expect(await scene.endings(2)).toEqual(["end_turn", "end_turn"]);
  });

  it("WSC1: reloaded in the middle, and with nothing to resume", async () => {
    const { scene, line, client } = await open();
    client.send("/tour").catch(() => undefined);
    await client.until(() => reply(client) !== "");
    line.close();
    const { client: back, line: again } = connect(scene, { messages: await scene.history() });
    const resuming = back.resume();
    await back.until(() => again.frames.length > 0);
    await scene.answer({ approved: true });
    await resuming;
    await expectHistory(scene, back);
    await back.resume();
    expect(back.status).toBe("ready");
    expect(again.streams().at(-1)).toEqual([{ type: "no-active", requestId: expect.any(String) }]);
    await expectUsable(back);
  });

  it("WSC1 TURN1: two requests on one socket each get their own stream", async () => {
    const { scene, line, client } = await open();
    await Promise.all([client.send("/stream 40 10"), client.send("/stream 20 10")]);
    expect(line.connections).toBe(1);
    const texts = line.streams().map((frames) => frames.map(({ chunk }) => chunk?.delta ?? "").join(""));
    expect(texts.toSorted()).toEqual([words(40), words(20)].toSorted());
    for (const frames of line.streams()) expectSoundFrames(frames);
    await scene.endings(2);
    await expectUsable(client);
  });

  it("WSC1 TR16: native approvals, asked for in the frame's headers", async () => {
    const { scene, line, client } = await open({ "x-agent-ops-approvals": "native" });
    await client.send("/approve");
    expect(client.messages[1]?.parts[1]?.state).toBe("approval-requested");
    await client.answerApproval({ id: await scene.question(), approved: true });
    await client.waitUntilReady();
    expect([client.messages[1]?.parts[1]?.state, reply(client)]).toEqual([
      "output-available",
      "Done: approved.txt is there now.",
    ]);
    expect(line.streams()).toHaveLength(2);
    await expectHistory(scene, client, "native");
    await expectUsable(client);
  });

  it("ACL6 WSC2: a viewer may watch and stop watching, and neither prompts nor aborts", async () => {
    const { scene, client } = await open();
    await scene.api.share(scene.sessionId, "vera", "viewer");
    const sending = client.send("/tour");
    await client.until(() => reply(client) !== "");
    const { client: vera, line } = connect(scene, { as: await Api.of(product, "vera") });
    const watching = vera.resume();
    await vera.until(() => reply(vera) !== "");
    await vera.stop();
    await watching;
    await vera.send("Let me");
    expect([vera.status, vera.error?.message]).toEqual(["error", expect.stringContaining("viewer")]);
    expect(line.connections).toBe(1);
    await scene.answer({ approved: true });
    await sending;
    expect(reply(client)).toContain("That was the tour.");
    expect(await scene.endings()).toEqual(["end_turn"]);
  });
});
