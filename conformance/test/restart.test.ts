import { describe, expect, it } from "vitest";
import { Api, streamedText } from "../src/api.ts";
import { Product } from "../src/product.ts";
import { storedLog } from "../src/stored-log.ts";
import { V2Reader } from "../src/v2-reader.ts";

const WORDS = 5000;
const EXPECTED = Array.from({ length: WORDS }, (_, index) => `t${index} `).join("");

function textOf(reader: V2Reader): string {
  return reader.events.map((event) => (event.type === "message.part.text-delta" ? event.delta : "")).join("");
}

describe("kill -9 of workerd during a turn", () => {
  it("LOG4 LOG5 RUN3: a returning reader and a fresh replay equal what the agent sent", async () => {
    const product = await Product.start();
    try {
      const api = await Api.of(product);
      const sessionId = await api.createSession();
      const reader = new V2Reader(api, sessionId);
      await reader.connect();
      reader.send({ type: "prompt", id: "p1", text: `/stream ${WORDS} 1` });
      for (const mark of [1000, 2500]) {
        await reader.until(({ events }) => events.length > mark);
        const closed = reader.closed;
        process.kill(product.workerdPid(), "SIGKILL");
        await closed;
        await reader.reconnect();
      }
      const replay = await api.request("GET", `/api/sessions/${sessionId}/chat/any/stream`);
      expect(replay.status).toBe(200);
      const replayed = await streamedText(replay);
      await reader.until(({ events }) => events.some((event) => event.type === "status" && event.status === "ready"));
      expect(textOf(reader)).toBe(EXPECTED);
      expect(replayed).toBe(EXPECTED);
      expect(reader.events.map((event) => event.seq)).toEqual(reader.events.map((_, index) => index + 1));
      expect(reader.events).toEqual(storedLog(product.data, sessionId));
      expect(reader.rewinds).toBeGreaterThan(0);
    } finally {
      await product.destroy();
    }
  });
});

describe("kill -9 of workerd at the end of a turn", () => {
  it("LIFE9: the lists of sessions, which had no time to hear of it, do not say for ever that it runs", async () => {
    const product = await Product.start();
    try {
      const api = await Api.of(product);
      const sessionId = await api.createSession();
      const listed = async () => (await (await api.request("GET", "/api/sessions")).json()).sessions[0]?.status;
      const reader = new V2Reader(api, sessionId);
      await reader.connect();
      reader.send({ type: "prompt", id: "p1", text: "/ask" });
      await expect.poll(listed).toBe("running");
      reader.send({ type: "abort" });
      await reader.untilTurnEnd();
      const { closed } = reader;
      process.kill(product.workerdPid(), "SIGKILL");
      await closed;
      await expect.poll(listed, { timeout: 10_000 }).toBe("ready");
    } finally {
      await product.destroy();
    }
  });
});
