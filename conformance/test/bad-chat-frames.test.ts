import { LIMITS } from "@agent-ops/shared/limits";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { Api } from "../src/api.ts";
import { FrameSocket } from "../src/frame-socket.ts";
import { expectNotLogged, expectUnharmed } from "../src/refusals.ts";

const product = inject("product");
const CANARY = "canary-in-a-chat-frame";
const BAD_FRAME = 1007;

let api: Api;
let sessionId: string;
let path: string;

beforeAll(async () => {
  api = await Api.of(product, "bad-chat-frames");
  sessionId = await api.createSession();
  path = `/api/sessions/${sessionId}/chat`;
});

afterAll(async () => {
  await expectUnharmed(api, sessionId);
  expectNotLogged(product, CANARY);
});

function send(requestId: unknown, more: object = {}): string {
  const messages = [{ role: "user", parts: [{ type: "text", text: "/empty" }] }];
  return JSON.stringify({ type: "send", requestId, id: sessionId, headers: {}, body: {}, messages, ...more });
}

const user = (text: unknown) => ({ messages: [{ role: "user", parts: [{ type: "text", text }] }] });
const file = (url: string) => ({ messages: [{ role: "user", parts: [{ type: "file", mediaType: "x", url }] }] });

describe("frames to the chat WebSocket", () => {
  it.each<[string, () => string | Uint8Array]>([
    ["no JSON", () => `{${CANARY}`],
    ["a binary frame", () => Buffer.from(send("r1"))],
    ["null", () => "null"],
    ["an empty list", () => "[]"],
    ["an unknown type", () => `{"type":"explode","requestId":"${CANARY}"}`],
    ["no request id", () => send(undefined)],
    ["a request id of 129 characters", () => send("x".repeat(129))],
    ["headers that are a list", () => send("r1", { headers: [CANARY] })],
    ["a body that is null", () => send("r1", { body: null })],
    [
      "a resume from before the start",
      () => JSON.stringify({ ...JSON.parse(send("r1")), type: "resume", lastSequence: -2 }),
    ],
    ["more than 8 MB", () => send("r1", user(CANARY.padEnd(LIMITS.chatBodyBytes, "x")))],
  ])("WSC1: %s closes the socket with 1007, since the transport has no word for it", async (_what, frame) => {
    const socket = await FrameSocket.open(api, path);
    socket.socket.send(frame());
    expect(await socket.closed).toBe(BAD_FRAME);
    expect(socket.frames).toEqual([]);
  });

  it.each<[string, object]>([
    ["no messages", { messages: undefined }],
    ["messages of a wrong type", { messages: CANARY }],
    ["too many messages", { messages: Array(LIMITS.chatMessages + 1).fill({ role: "user", content: CANARY }) }],
    ["an empty prompt", user(" ")],
    ["a text that is an object", user({ toString: CANARY })],
    ["a text that is too long", user(CANARY.padEnd(LIMITS.promptChars + 1, "x"))],
    ["a remote file", file("https://x.example/y")],
    ["a file of the server's disk", file("file:///etc/passwd")],
    ["a file that is too large", file("data:,".padEnd(LIMITS.attachmentBytes + 1, "x"))],
    ["an option nobody knows", { body: { approvals: CANARY } }],
    ["an option nobody knows, as a header", { headers: { "x-agent-ops-events": CANARY } }],
    [
      "an answer to no question",
      {
        messages: [
          {
            role: "assistant",
            parts: [{ type: "tool-x", state: "approval-responded", approval: { id: "none", approved: true } }],
          },
        ],
      },
    ],
  ])("WSC1: %s is an error of its request alone; the next one works", async (_what, more) => {
    const socket = await FrameSocket.open(api, path);
    const [refused] = await socket.ask(send("bad", more), (text) => text.includes('"error"'));
    expect(JSON.parse(String(refused))).toEqual({ type: "error", requestId: "bad", errorText: expect.any(String) });
    expect(String(refused)).not.toContain("Something went wrong");
    const frames = await socket.ask(send("good"), (text) => text === '{"type":"end","requestId":"good"}');
    expect(frames.some((text) => text.includes('"type":"finish"'))).toBe(true);
    socket.socket.close();
  });

  it("WSC2: an abort of no request, and of somebody else's, stops nothing", async () => {
    const one = await FrameSocket.open(api, path);
    const other = await FrameSocket.open(api, path);
    const running = one.ask(
      send("mine", user("/stream 20 10")),
      (text) => text === '{"type":"end","requestId":"mine"}',
    );
    await one.until((text) => text.includes('"text-delta"'));
    for (const requestId of ["mine", "none"]) other.socket.send(JSON.stringify({ type: "abort", requestId }));
    await other.ask(JSON.stringify({ ...JSON.parse(send("r")), type: "resume", id: "x" }), (text) =>
      text.includes('"end"'),
    );
    expect((await running).filter((text) => text.includes('"text-delta"')).join()).toContain("t19 ");
    for (const { socket } of [one, other]) socket.close();
  });
});
