import { describe, expect, inject, it } from "vitest";
import { WebSocket } from "ws";
import type { SocketFrame } from "../src/clients/socket-transport.ts";
import { expectUsable, Scene } from "../src/scene.ts";

const product = inject("product");

describe.concurrent("raw frames of the chat socket", () => {
  async function raw(scene: Scene): Promise<{ socket: WebSocket; frames: SocketFrame[]; send(frame: object): void }> {
    const socket = new WebSocket(scene.url.replace("http", "ws"), { headers: scene.api.headers });
    const frames: SocketFrame[] = [];
    socket.on("message", (data) => frames.push(JSON.parse(String(data))));
    await new Promise((resolve, reject) => socket.once("open", resolve).once("error", reject));
    return { socket, frames, send: (frame) => socket.send(JSON.stringify(frame)) };
  }
  const closing = (socket: WebSocket) => new Promise<number>((resolve) => socket.once("close", resolve));
  const request = (scene: Scene, more: object) => ({
    requestId: "r1",
    id: scene.sessionId,
    headers: {},
    body: {},
    ...more,
  });

  it.each([
    ["no JSON", "{nope"],
    ["no object", '"send"'],
    ["an unknown type", '{"type":"dance","requestId":"r1"}'],
    ["no request id", '{"type":"abort"}'],
    ["no headers", '{"type":"send","requestId":"r1","id":"x","messages":[],"body":{}}'],
  ])("WSC1: %s closes the socket with 1007, and the turn goes on", async (_, text) => {
    const scene = await Scene.open(product);
    const { socket, send } = await raw(scene);
    const message = { id: "m1", role: "user", parts: [{ type: "text", text: "/stream 100 10" }] };
    send(request(scene, { type: "send", trigger: "submit-message", messages: [message] }));
    await scene.reader.until(() => scene.logged("message.create").length === 1);
    const closed = closing(socket);
    socket.send(text);
    expect(await closed).toBe(1007);
    expect(await scene.endings()).toEqual(["end_turn"]);
    await expectUsable(await scene.reloaded("7"));
  });

  it("WSC1 SSE3: what the session refuses is an error of that request alone", async () => {
    const scene = await Scene.open(product);
    const { socket, frames, send } = await raw(scene);
    const settled = () => new Promise((resolve) => socket.once("message", resolve));
    for (const messages of [[], [{ role: "user", parts: [{ type: "text", text: " " }] }], "x"]) {
      const answer = settled();
      send(request(scene, { type: "send", messages }));
      await answer;
    }
    expect(frames).toEqual(frames.map(() => ({ type: "error", requestId: "r1", errorText: expect.any(String) })));
    send({ type: "abort", requestId: "nobody's" });
    const answer = settled();
    send(request(scene, { type: "resume" }));
    await answer;
    expect(frames.at(-1)).toEqual({ type: "no-active", requestId: "r1" });
    socket.close();
  });

  it("WSC4: after 16 MB the socket is closed with 4413; another one goes on", async () => {
    const scene = await Scene.open(product);
    const client = scene.client("7");
    await client.send(`/edit big.txt ${"x".repeat(200_000)}`);
    const id = String(client.messages[1]?.id);
    const { socket, frames, send } = await raw(scene);
    const closed = closing(socket);
    const again = () => send(request(scene, { type: "resume", id }));
    socket.on("message", (data) => String(data).startsWith('{"type":"end"') && again());
    again();
    expect(await closed).toBe(4413);
    const bytes = frames.reduce((total, frame) => total + JSON.stringify(frame).length, 0);
    expect(bytes / 1024 / 1024).toBeCloseTo(16, 0);
    const other = await raw(scene);
    other.send(request(scene, { type: "resume", id, lastSequence: 1 }));
    await new Promise((resolve) => other.socket.on("message", () => other.frames.at(-1)?.type === "end" && resolve(0)));
    expect(other.frames[1]?.sequence).toBe(2);
    const answered = closing(other.socket);
    other.socket.close(1000);
    expect(await answered).toBe(1005);
  });

  it("WSC1 SSE8: resuming after any sequence yields the rest, with its numbers", async () => {
    const scene = await Scene.open(product);
    const client = scene.client("7");
    await client.send("/tools 3");
    const turnId = String(client.messages[1]?.id);
    const { socket, frames, send } = await raw(scene);
    const read = async (more: object) => {
      const start = frames.length;
      send(request(scene, { type: "resume", id: turnId, ...more }));
      while (!["end", "no-active"].includes(frames.at(-1)?.type ?? "") || frames.length === start) {
        await new Promise((resolve) => socket.once("message", resolve));
      }
      return frames.slice(start).filter(({ type }) => type === "chunk");
    };
    const whole = await read({});
    expect(whole.map(({ sequence }) => sequence)).toEqual(whole.map((_, index) => index));
    for (const [lastSequence] of whole.entries()) {
      expect([...whole.slice(0, lastSequence + 1), ...(await read({ lastSequence }))]).toEqual(whole);
    }
    socket.close();
  });
});
