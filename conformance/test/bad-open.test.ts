import { LIMITS } from "@agent-ops/shared/limits";
import { describe, expect, inject, it } from "vitest";
import { Api } from "../src/api.ts";
import { FrameSocket } from "../src/frame-socket.ts";
import { expectWholeStream } from "../src/refusals.ts";
import { storedLog } from "../src/stored-log.ts";
import { V2Reader } from "../src/v2-reader.ts";

const product = inject("product");

async function newSession(): Promise<{ api: Api; sessionId: string; ws: string }> {
  const api = await Api.of(product, "bad-open");
  const sessionId = await api.createSession();
  return { api, sessionId, ws: `/api/sessions/${sessionId}/ws?since=0` };
}

describe("harm that a member can do", () => {
  it("TURN1 LOG7: a queue full of the longest prompts breaks nothing", async () => {
    const { api, sessionId } = await newSession();
    const first = await api.chat(sessionId, "/hang");
    const text = "/empty ".padEnd(LIMITS.promptChars, "x");
    const waiting: Response[] = [];
    for (let count = 0; count < LIMITS.queueLength; count++) waiting.push(await api.chat(sessionId, text));
    expect(waiting.map(({ status }) => status)).toEqual(waiting.map(() => 200));
    expect((await api.chat(sessionId, text)).status).toBe(429);
    await api.request("POST", `/api/sessions/${sessionId}/abort`, {});
    await Promise.all([first, ...waiting].map((response) => expectWholeStream(response)));
    const sizes = storedLog(product.data, sessionId).map((event) => Buffer.byteLength(JSON.stringify(event)));
    expect(Math.max(...sizes)).toBeLessThan(1024 * 1024);
  });
});

describe("harm that a person with a token can do", () => {
  it.each(["file:///etc/passwd", "http://169.254.169.254/", "blob:x"])(
    "SSE13: a prompt over the V2 socket brings no file by its address either: %s",
    async (url) => {
      const { api, ws } = await newSession();
      const socket = await FrameSocket.open(api, ws);
      const attachments = [{ type: "file", mediaType: "text/plain", url }];
      const frame = JSON.stringify([{ type: "prompt", id: "p", text: "/empty", attachments }, { type: "ping" }]);
      const answers = await socket.ask(frame, (text) => text.includes("pong"));
      expect(answers.join()).toContain('"code":"bad_request"');
      socket.socket.close();
    },
  );

  it("Q3 EV4: an answer of 100,000 levels over the V2 socket is refused as what it is", async () => {
    const { api, sessionId, ws } = await newSession();
    const turn = await api.chat(sessionId, "/form");
    const reader = new V2Reader(api, sessionId);
    await reader.connect();
    await reader.until(({ events }) => events.some(({ type }) => type === "question"));
    const questionId = reader.events.flatMap((event) => (event.type === "question" ? [event.questionId] : []))[0];
    const socket = await FrameSocket.open(api, ws);
    const deep = "[".repeat(100_000) + "]".repeat(100_000);
    const frame = `{"type":"answer","questionId":"${questionId}","answer":{"action":"accept","content":{"name":${deep}}}}`;
    const answers = await socket.ask(frame, (text) => text.includes('"type":"error"'));
    await api.request("POST", `/api/sessions/${sessionId}/abort`, {});
    await expectWholeStream(turn);
    expect(answers.join()).toMatch(/"code":"(bad_answer|bad_request|bad_json)"/);
    socket.socket.close();
    reader.close();
  });
});
