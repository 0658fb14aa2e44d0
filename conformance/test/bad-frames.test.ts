import { LIMITS } from "@agent-ops/shared/limits";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { Api } from "../src/api.ts";
import { FrameSocket } from "../src/frame-socket.ts";
import { expectNotLogged, expectRefusal, expectUnharmed } from "../src/refusals.ts";

const product = inject("product");
const CANARY = "canary-in-a-frame";
const PING = '{"type":"ping"}';
const prompt = (more: object) => JSON.stringify({ type: "prompt", id: CANARY, text: CANARY, ...more });
const nested = (depth: number) => "[".repeat(depth) + "]".repeat(depth);

let api: Api;
let sessionId: string;

beforeAll(async () => {
  api = await Api.of(product, "bad-frames");
  sessionId = await api.createSession();
});

afterAll(async () => {
  await expectUnharmed(api, sessionId);
  expectNotLogged(product, CANARY);
});

const REFUSED: [what: string, code: string, frame: () => string | Uint8Array][] = [
  ["no JSON", "bad_json", () => `{${CANARY}`],
  ["an empty frame", "bad_json", () => ""],
  ["a binary frame", "bad_json", () => Buffer.from(PING)],
  ["a binary frame of no UTF-8", "bad_json", () => Buffer.from([0xff, 0xfe, 0x00])],
  ["one byte more than 1 MB", "bad_json", () => PING.padEnd(LIMITS.frameBytes + 1)],
  ["10 MB", "bad_json", () => CANARY.padEnd(10 * LIMITS.frameBytes, "x")],
  ["brackets that never close", "bad_json", () => "[".repeat(100_000)],
  ["100,000 levels", "bad_request", () => nested(100_000)],
  ["null", "bad_request", () => "null"],
  ["a number", "bad_request", () => "5"],
  ["a text", "bad_request", () => JSON.stringify(CANARY)],
  ["no type", "bad_request", () => "{}"],
  ["an unknown type", "bad_request", () => `{"type":"explode","x":"${CANARY}"}`],
  ["a type that is a list", "bad_request", () => '{"type":["ping"]}'],
  ["a type out of the prototype", "bad_request", () => '{"type":"__proto__","__proto__":{"type":"ping"}}'],
  ["a runner's event", "bad_request", () => '{"type":"message.finalize","turnId":"x","reason":"end_turn"}'],
  ["a prompt without an id", "bad_request", () => prompt({ id: undefined })],
  ["a prompt whose id has 129 characters", "bad_request", () => prompt({ id: "x".repeat(129) })],
  ["a prompt whose text is a number", "bad_request", () => prompt({ text: 5 })],
  ["a prompt whose attachments are a text", "bad_request", () => prompt({ attachments: CANARY })],
  [
    "a prompt whose attachment has no address",
    "bad_request",
    () => prompt({ attachments: [{ type: "file", mediaType: "x" }] }),
  ],
  ["a prompt whose channel is a text", "bad_request", () => prompt({ channel: CANARY })],
  ["an empty prompt", "empty_prompt", () => prompt({ text: " \n " })],
  [
    "a prompt of one character too many",
    "too_large",
    () => prompt({ text: CANARY.padEnd(LIMITS.promptChars + 1, "x") }),
  ],
  ["an abort of nothing", "nothing_running", () => '{"type":"abort"}'],
  ["an abort of a number", "bad_request", () => '{"type":"abort","turnId":5}'],
  ["an answer to no question", "not_found", () => '{"type":"answer","questionId":"x","answer":{"approved":true}}'],
  ["an answer to a list", "bad_request", () => '{"type":"answer","questionId":["x"],"answer":1}'],
  ["a withdrawal of nothing", "not_found", () => `{"type":"withdraw","promptId":"${CANARY}"}`],
  ["an empty title", "bad_request", () => '{"type":"set-title","title":" "}'],
  ["a title of 201 characters", "bad_request", () => `{"type":"set-title","title":"${"x".repeat(201)}"}`],
  ["a negative ack", "bad_request", () => '{"type":"ack","seq":-1}'],
  ["an ack of a fraction", "bad_request", () => '{"type":"ack","seq":0.5}'],
  ["an ack beyond all numbers", "bad_request", () => '{"type":"ack","seq":1e300}'],
];

describe("frames to the V2 socket", () => {
  it.each(REFUSED)("EV4 EV5: %s is answered with an error, %s, and the socket stays up", async (_what, code, frame) => {
    const socket = await FrameSocket.open(api, `/api/sessions/${sessionId}/ws?since=0`);
    const [answer] = await socket.ask(frame(), (text) => text.includes('"type":"error"')).then((all) => all.slice(-1));
    expect(JSON.parse(String(answer))).toEqual([
      expect.objectContaining({ type: "error", code, message: expect.any(String) }),
    ]);
    await socket.ask(PING, (text) => text === '[{"type":"pong"}]');
    expect(socket.isOpen).toBe(true);
    socket.socket.close();
  });

  it("EV4 EV5: what is right in a frame is done, what is wrong is said, in their order", async () => {
    const socket = await FrameSocket.open(api, `/api/sessions/${sessionId}/ws?since=0`);
    const frame = JSON.stringify([{ type: "ping" }, 7, { type: "explode" }, { type: "ping" }, null, { type: "abort" }]);
    const answers = await socket.ask(frame, (text) => text.includes("nothing_running"));
    const told = answers.flatMap((text): { type: string; code?: string }[] => JSON.parse(text));
    const kinds = told.filter(({ type }) => type === "pong" || type === "error").map(({ type, code }) => code ?? type);
    expect(kinds).toEqual(["pong", "bad_request", "bad_request", "pong", "bad_request", "nothing_running"]);
    socket.socket.close();
  });

  it("EV5: an ack of what was never sent, and the same one a thousand times, change nothing", async () => {
    const socket = await FrameSocket.open(api, `/api/sessions/${sessionId}/ws?since=0`);
    const ack = { type: "ack", seq: 9_007_199_254_740_991 };
    const acks = JSON.stringify(Array.from({ length: 100 }, () => ack));
    for (let count = 0; count < 10; count++) socket.socket.send(acks);
    const answers = await socket.ask('{"type":"ping"}', (text) => text.includes("pong"));
    expect(answers.join()).not.toContain('"error"');
    socket.socket.close();
  });

  it("LIM4: half a million bad commands in one frame are one error, and keep nobody waiting", async () => {
    const path = `/api/sessions/${sessionId}/ws?since=0`;
    const [socket, other] = [await FrameSocket.open(api, path), await FrameSocket.open(api, path)];
    const bad = `[${"0,".repeat(500_000)}0]`;
    for (let count = 0; count < 5; count++) socket.socket.send(bad);
    await other.ask('{"type":"ping"}', (text) => text.includes("pong"));
    await socket.ask('{"type":"ping"}', (text) => text.includes("pong"));
    expect(socket.frames.filter((frame) => frame.includes('"too_many"'))).toHaveLength(5);
    expect(other.frames.join()).not.toContain('"error"');
    for (const each of [socket, other]) each.socket.close();
  });

  it.each(["since=-1", "since=1.5", "since=x", "since=0&generation=-1", "since=0&generation=x"])(
    "LOG6: ?%s is refused before the socket opens",
    async (query) => {
      await expect(FrameSocket.open(api, `/api/sessions/${sessionId}/ws?${query}`)).rejects.toThrow("400");
      const plain = await fetch(`${product.url}/api/sessions/${sessionId}/ws?${query}`, { headers: api.headers });
      await expectRefusal(plain, 400, "bad_request");
    },
  );

  it("ACL4: a ticket that nobody gave, and one of another session, open nothing", async () => {
    const other = await api.createSession();
    const { ticket } = await (await api.request("POST", `/api/sessions/${other}/ticket`)).json();
    const stranger = new Api(product.url, "");
    for (const bad of [ticket, "x", "%00", "x".repeat(10_000)]) {
      const opening = FrameSocket.open(stranger, `/api/sessions/${sessionId}/ws?ticket=${bad}`, { authorization: "" });
      await expect(opening).rejects.toThrow("401");
    }
  });
});
