import { describe, expect, inject, it } from "vitest";
import type { ChatClient } from "../src/clients/create-client.ts";
import { expectHistory, expectSound, expectUsable, reply, Scene, VERSIONS } from "../src/scene.ts";

const product = inject("product");

const FORM = { name: "Ada", color: "blue", count: 2 };

/** A question of each kind, answers that do not fit it, one that does, and what the agent then says. */
const QUESTIONS: [prompt: string, wrong: unknown[], right: unknown, says: string][] = [
  ["/ask", [{ value: "purple" }, { approved: true }, {}], { value: "green" }, 'You chose "green".'],
  ["/form", [{ approved: true }, { value: "x" }], { action: "accept", content: FORM }, "Ada"],
  ["/form", [{ action: "perhaps" }], { action: "decline" }, "You did not fill in the form."],
  ["/approve", [{ value: "yes" }], { approved: true }, "Done: approved.txt is there now."],
  ["/approve", [], { approved: false, reason: "Not today" }, "You refused, so I left it alone."],
];

function questionsIn({ messages }: ChatClient): { id?: string; data?: { resolution?: object } }[] {
  return messages[1]?.parts.filter(({ type }) => type === "data-question") ?? [];
}

describe.concurrent.each(VERSIONS)("AI SDK %s", (version) => {
  it.each(QUESTIONS)(
    "Q1 Q2 Q3 TR11: %s is shown, answered over the route with %j, and the stream goes on",
    async (...row) => {
      const [prompt, wrong, right, says] = row;
      const scene = await Scene.open(product);
      const client = scene.client(version);
      const sending = client.send(prompt);
      await client.until(() => questionsIn(client).length > 0);
      const questionId = await scene.question();
      expect(questionsIn(client)).toMatchObject([{ id: questionId, data: { questionId } }]);
      for (const answer of wrong) expect(await scene.api.answer(scene.sessionId, questionId, answer)).toBe(400);
      expect([client.status, scene.running]).toEqual(["streaming", true]);
      const answers = await Promise.all([1, 2].map(() => scene.api.answer(scene.sessionId, questionId, right)));
      expect(answers.toSorted()).toEqual([200, 409]);
      await sending;
      expect([client.status, client.error]).toEqual(["ready", undefined]);
      expect(reply(client)).toContain(says);
      expect(questionsIn(client)).toMatchObject([{ id: questionId, data: { resolution: { by: "alice" } } }]);
      expect(client.exchanges).toHaveLength(1);
      await expectHistory(scene, client);
      await expectUsable(client);
    },
  );

  it("Q1 TURN6: a question whose turn is aborted is over, and the client is told", async () => {
    const scene = await Scene.open(product);
    const client = scene.client(version);
    const sending = client.send("/ask");
    const questionId = await scene.question();
    await client.until(() => questionsIn(client).length > 0);
    await scene.api.request("POST", `/api/sessions/${scene.sessionId}/abort`, {});
    await sending;
    expect(client.messages[1]?.metadata).toEqual({ canceled: true });
    expect(questionsIn(client)).toMatchObject([{ data: { resolution: { outcome: "turn-ended" } } }]);
    expect(await scene.api.answer(scene.sessionId, questionId, { value: "red" })).toBe(409);
    await expectUsable(client);
  });

  it("DIS3 Q2: whoever leaves an open question comes back to it, and the first answer counts from anywhere", async () => {
    const scene = await Scene.open(product);
    const client = scene.client(version);
    client.send("/ask").catch(() => undefined);
    const questionId = await scene.question();
    await client.until(() => questionsIn(client).length > 0);
    client.vanish();
    const back = await scene.reloaded(version);
    const resuming = back.resume();
    await back.until(() => questionsIn(back).length > 0);
    scene.reader.send({ type: "answer", questionId, answer: { value: "blue" } });
    await resuming;
    expect(reply(back)).toContain('You chose "blue".');
    expect(await scene.api.answer(scene.sessionId, questionId, { value: "red" })).toBe(409);
    await expectHistory(scene, back);
    await expectSound(back);
    await expectUsable(back);
  });
});
