import { describe, expect, inject, it } from "vitest";
import { Api, sseChunks, streamedText } from "../src/api.ts";
import { storedLog } from "../src/stored-log.ts";
import { V2Reader } from "../src/v2-reader.ts";

const product = inject("product");

function words(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `t${index} `);
}

describe("one turn for many readers", () => {
  it("LOG1 TR1: 5000 deltas flat out arrive in order on SSE and WebSocket, equal to the log", async () => {
    const api = await Api.of(product);
    const sessionId = await api.createSession();
    const reader = new V2Reader(api, sessionId);
    await reader.connect();
    const response = await api.chat(sessionId, "/stream 5000 0");
    const deltas = sseChunks(await response.text()).flatMap((chunk) =>
      chunk.type === "text-delta" ? [chunk.delta] : [],
    );
    await reader.until(({ events }) => events.at(-1)?.type === "status" && events.length > 5000);
    const log = storedLog(product.data, sessionId);
    const logged = log.flatMap((event) => (event.type === "message.part.text-delta" ? [event.delta] : []));
    expect(deltas).toEqual(words(5000));
    expect(logged).toEqual(words(5000));
    expect(reader.events.map((event) => JSON.stringify(event))).toEqual(log.map((event) => JSON.stringify(event)));
    reader.close();
  });

  it("LOG6: with `since`, from every seq of a turn, a reader gets exactly the rest", async () => {
    const api = await Api.of(product);
    const sessionId = await api.createSession();
    await (await api.chat(sessionId, "/tools 3")).text();
    const log = storedLog(product.data, sessionId);
    for (let since = 0; since <= log.length; since++) {
      const reader = new V2Reader(api, sessionId);
      reader.events.push(...log.slice(0, since));
      await reader.connect();
      await reader.until(({ events }) => events.length >= log.length);
      expect(reader.events).toEqual(log);
      reader.close();
    }
  });

  it("SSE6: a second reader that joins mid-turn gets the whole turn; afterwards there is nothing to resume", async () => {
    const api = await Api.of(product);
    const sessionId = await api.createSession();
    const first = await api.chat(sessionId, "/stream 200 5");
    const second = await api.request("GET", `/api/sessions/${sessionId}/chat/${sessionId}/stream`);
    expect(second.status).toBe(200);
    const [one, two] = await Promise.all([streamedText(first), streamedText(second)]);
    expect(one).toBe(words(200).join(""));
    expect(two).toBe(one);
    expect((await api.request("GET", `/api/sessions/${sessionId}/chat/${sessionId}/stream`)).status).toBe(204);
  });

  it("TURN1 TURN4: prompts that come during a turn run after it, in order", async () => {
    const api = await Api.of(product);
    const sessionId = await api.createSession();
    const responses = [];
    for (const prompt of ["/stream 50 10", "/stream 3 0", "/stream 2 0"])
      responses.push(await api.chat(sessionId, prompt));
    const texts = await Promise.all(responses.map((response) => streamedText(response)));
    expect(texts).toEqual([words(50).join(""), words(3).join(""), words(2).join("")]);
    const creates = storedLog(product.data, sessionId).filter((event) => event.type === "message.create");
    expect(creates).toHaveLength(3);
  });

  it("TURN2: the same prompt ten times at once is one turn; the same id with another text is a conflict", async () => {
    const api = await Api.of(product);
    const sessionId = await api.createSession();
    const responses = await Promise.all(Array.from({ length: 10 }, () => api.chat(sessionId, "/stream 20 5", "same")));
    const texts = await Promise.all(responses.map((response) => streamedText(response)));
    expect(new Set(texts)).toEqual(new Set([words(20).join("")]));
    expect(storedLog(product.data, sessionId).filter((event) => event.type === "message.create")).toHaveLength(1);
    expect(await streamedText(await api.chat(sessionId, "/stream 20 5", "same"))).toBe(words(20).join(""));
    const other = await api.chat(sessionId, "something else", "same");
    expect([other.status, await other.json()]).toEqual([409, { code: "conflict", message: expect.any(String) }]);
  });

  it("RUN8: an agent that dies ends its turn with an error; the next prompt works", async () => {
    const api = await Api.of(product);
    const sessionId = await api.createSession();
    const crashed = sseChunks(await (await api.chat(sessionId, "/crash")).text());
    expect(crashed.at(-1)).toEqual({ type: "error", errorText: expect.stringContaining("ended unexpectedly") });
    expect(await streamedText(await api.chat(sessionId, "/stream 3 0"))).toBe("t0 t1 t2 ");
  });

  it("TURN6: abort reaches the agent and the stream says that it was canceled", async () => {
    const api = await Api.of(product);
    const sessionId = await api.createSession();
    const response = await api.chat(sessionId, "/stream 100000 5");
    expect((await api.request("POST", `/api/sessions/${sessionId}/abort`, {})).status).toBe(202);
    const chunks = sseChunks(await response.text());
    expect(chunks.slice(-2)).toEqual([
      { type: "abort" },
      expect.objectContaining({ type: "finish", messageMetadata: expect.objectContaining({ canceled: true }) }),
    ]);
  });

  it("Q1 Q2 Q3: an approval is answered once, over the route; the file is really there", async () => {
    const api = await Api.of(product);
    const sessionId = await api.createSession();
    const reader = new V2Reader(api, sessionId);
    await reader.connect();
    const response = await api.chat(sessionId, "/approve");
    await reader.until(({ events }) => events.some((event) => event.type === "question"));
    const questionId = reader.events.flatMap((event) => (event.type === "question" ? [event.questionId] : []))[0];
    const path = `/api/sessions/${sessionId}/questions/${questionId}`;
    expect((await api.request("POST", path, { value: "yes" })).status).toBe(400);
    const answers = await Promise.all([1, 2].map(() => api.request("POST", path, { approved: true })));
    expect(answers.map((answer) => answer.status).sort()).toEqual([200, 409]);
    const chunks = sseChunks(await response.text());
    expect(chunks.map((chunk) => chunk.type)).toContain("data-question");
    expect(chunks.at(-1)?.type).toBe("finish");
    reader.close();
  });
});
