import { randomUUID } from "node:crypto";
import { describe, expect, inject, it } from "vitest";
import { Api, streamedText } from "../src/api.ts";
import { Scene, VERSIONS } from "../src/scene.ts";

const product = inject("product");

describe.concurrent("POOL7: a chat that is deleted and used again at once", () => {
  it("POOL7 SSE10: gets a runner and begins anew, again and again", async () => {
    const api = await Api.of(product, `user-${randomUUID()}`);
    const say = (text: string) =>
      api.request("POST", "/api/chat", { id: "again", messages: [{ role: "user", content: text }] });
    for (let round = 1; round <= 3; round++) {
      const response = await say(`/edit notes-${round}.txt kept`);
      expect(await streamedText(response)).toContain(`notes-${round}.txt`);
      expect(await streamedText(await say("/remember"))).not.toContain(`notes-${round - 1}.txt`);
      const id = response.headers.get("x-chat-session-id");
      expect((await api.request("DELETE", `/api/sessions/${id}`)).status).toBe(204);
      expect(await (await api.request("GET", "/api/sessions")).json()).toEqual({ sessions: [] });
    }
  });
});

describe.concurrent("SSE16: a page that loads while a turn ends", () => {
  it.each(VERSIONS)(
    "SSE16: AI SDK %s has the answer, though it came between the history and the resume",
    async (version) => {
      const scene = await Scene.open(product);
      scene.reader.send({ type: "prompt", id: "p1", text: "/ask" });
      const questionId = await scene.question();
      const client = await scene.reloaded(version);
      await scene.api.answer(scene.sessionId, questionId, { value: "red" });
      await scene.endings();
      await client.resume();
      await client.waitUntilReady();
      expect(client.status).toBe("ready");
      expect(client.messages.map(({ id }) => id)).toEqual((await scene.history()).map(({ id }) => id));
      await client.resume();
      await client.waitUntilReady();
      expect(client.messages).toHaveLength(2);
      scene.reader.close();
    },
  );
});
