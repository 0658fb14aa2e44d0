import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { Api, type SseChunk } from "../src/api.ts";
import type { SocketFrame } from "../src/clients/socket-transport.ts";
import { FakeHost } from "../src/fake-runner.ts";
import { FrameSocket } from "../src/frame-socket.ts";

const product = inject("product");
const AGENT = "flood";
const FRAMES = 200;
const FRAME_DELTAS = 40;
const DELTA = "x".repeat(1000);
const TEXT = DELTA.repeat(FRAMES * FRAME_DELTAS);

describe("an agent that speaks as fast as it can", () => {
  let host: FakeHost;
  let api: Api;
  const sockets: FrameSocket[] = [];

  beforeAll(async () => {
    host = await FakeHost.join(product, "flood", AGENT);
    api = await Api.of(product, "flood");
  });
  afterAll(() => {
    for (const { socket } of sockets) socket.close();
    host.leave();
  });

  async function createSession(): Promise<string> {
    return (await (await api.request("POST", "/api/sessions", { agent: AGENT })).json()).id;
  }

  /** The whole turn at once: nobody waits for anything. */
  async function pour(sessionId: string): Promise<void> {
    const runner = await host.open(sessionId);
    const { turnId } = await runner.command("prompt");
    const delta = { type: "message.part.text-delta", turnId, delta: DELTA };
    const frames = Array.from({ length: FRAMES }, () => Array.from({ length: FRAME_DELTAS }, () => delta));
    const end = { type: "message.finalize", turnId, reason: "end_turn" };
    await runner.flood(1, [[{ type: "message.create", turnId }], ...frames, [end]]);
  }

  /** As the SDK's WebSocketChatTransport sends it, and read without its bookkeeping. */
  async function ask(sessionId: string): Promise<FrameSocket> {
    const socket = await FrameSocket.open(api, `/api/sessions/${sessionId}/chat`);
    sockets.push(socket);
    const messages = [{ id: "m1", role: "user", parts: [{ type: "text", text: "Go on" }] }];
    const frame = { type: "send", requestId: "r1", id: sessionId, trigger: "submit-message", headers: {}, body: {} };
    socket.socket.send(JSON.stringify({ ...frame, messages }));
    return socket;
  }

  it("WSC5: a chat socket that is read gets everything, however fast it comes", async () => {
    const sessionId = await createSession();
    const socket = await ask(sessionId);
    await pour(sessionId);
    const frames: SocketFrame[] = (await socket.until((frame) => frame.startsWith('{"type":"end"'))).map((frame) =>
      JSON.parse(frame),
    );
    const chunks = frames.flatMap(({ chunk }): SseChunk[] => (chunk ? [chunk] : []));
    expect(chunks.filter(({ type }) => type === "error")).toEqual([]);
    expect(chunks.map(({ delta }) => delta ?? "").join("") === TEXT).toBe(true);
  });
});
