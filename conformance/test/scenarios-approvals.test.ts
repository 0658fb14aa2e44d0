import { describe, expect, inject, it } from "vitest";
import type { ChatClient, ClientVersion } from "../src/clients/create-client.ts";
import { expectHistory, expectUsable, reply, Scene } from "../src/scene.ts";

const product = inject("product");
const NATIVE: ClientVersion[] = ["6", "7"];
const approvals = "native";

function toolState({ messages }: ChatClient): string | undefined {
  return messages.at(-1)?.parts.find(({ toolCallId }) => toolCallId !== undefined)?.state;
}

/** A client whose turn waits for an approval; its stream is over, the turn is not. */
async function asked(version: ClientVersion): Promise<{ scene: Scene; client: ChatClient; id: string }> {
  const scene = await Scene.open(product);
  const client = scene.client(version, { approvals });
  await client.send("/approve");
  const id = await scene.question();
  expect([client.status, toolState(client), scene.running]).toEqual(["ready", "approval-requested", true]);
  return { scene, client, id };
}

/** The turn is over, the client is what the server is, and it never posted more than it had to. */
async function expectDone(scene: Scene, client: ChatClient, exchanges: number): Promise<void> {
  await client.waitUntilReady();
  expect([client.status, client.error]).toEqual(["ready", undefined]);
  expect(client.messages.map(({ role }) => role)).toEqual(["user", "assistant"]);
  await scene.endings();
  await expectHistory(scene, client, approvals);
  expect(client.exchanges).toHaveLength(exchanges);
}

describe.concurrent.each(NATIVE)("AI SDK %s, native approvals", (version) => {
  it("TR16 SSE15: given, the same message goes on", async () => {
    const { scene, client, id } = await asked(version);
    await client.answerApproval({ id, approved: true });
    await expectDone(scene, client, 2);
    expect([toolState(client), reply(client)]).toEqual(["output-available", "Done: approved.txt is there now."]);
    await expectUsable(client);
  });

  it("TR16 SSE15: denied, with the reason", async () => {
    const { scene, client, id } = await asked(version);
    await client.answerApproval({ id, approved: false, reason: "Not today" });
    await expectDone(scene, client, 2);
    expect([toolState(client), reply(client)]).toEqual(["output-denied", "You refused, so I left it alone."]);
    expect(scene.logged("question.resolved")[0]?.answer).toEqual({ approved: false, reason: "Not today" });
    await expectUsable(client);
  });

  it.each([true, false])("TR16 SSE15 DIS3: answered with %s after a reload, in a new client", async (approved) => {
    const { scene, client, id } = await asked(version);
    client.vanish();
    const back = await scene.reloaded(version, { approvals });
    await back.resume();
    expect([back.status, toolState(back)]).toEqual(["ready", "approval-requested"]);
    await back.answerApproval({ id, approved });
    await expectDone(scene, back, 2);
    expect(toolState(back)).toBe(approved ? "output-available" : "output-denied");
    await expectUsable(back);
  });

  it("TR16 Q2: answered on another device, a reloaded client has the rest, and so does one that answers late", async () => {
    const { scene, client, id } = await asked(version);
    scene.reader.send({ type: "answer", questionId: id, answer: { approved: true } });
    await scene.endings();
    const back = await scene.reloaded(version, { approvals });
    await back.resume();
    expect(toolState(back)).toBe("output-available");
    await expectDone(scene, back, 1);
    await client.answerApproval({ id, approved: true });
    await expectDone(scene, client, 2);
    expect(toolState(client)).toBe("output-available");
    await expectUsable(back);
    await expectUsable(client);
  });

  it("TR16 SSE6: answered on another device while the turn goes on, a reloaded client sees all of it", async () => {
    const scene = await Scene.open(product);
    const client = scene.client(version, { approvals, messages: [] });
    await client.send("/tour");
    const id = await scene.question();
    scene.reader.send({ type: "answer", questionId: id, answer: { approved: false } });
    const turnId = String(client.messages.at(-1)?.id);
    await scene.reader.until(() => scene.logged("question.resolved").length === 1);
    const back = scene.client(version, { approvals, messages: client.messages.slice(0, 1), chatId: turnId });
    await back.resume();
    expect(back.messages[1]?.parts.filter(({ type }) => type === "dynamic-tool")).toHaveLength(4);
    await expectDone(scene, back, 1);
    await expectUsable(back);
  });

  it("TR16 Q2: two clients that answer at once end alike, and never post again", async () => {
    const { scene, client, id } = await asked(version);
    const other = await scene.reloaded(version, { approvals });
    await other.resume();
    await Promise.all([client, other].map((each) => each.answerApproval({ id, approved: true })));
    await expectDone(scene, client, 2);
    await expectDone(scene, other, 2);
    expect(scene.logged("question.resolved")).toHaveLength(1);
    await expectUsable(client);
    await expectUsable(other);
  });

  it("TR16 Q2: a yes and a no at once: the first counts, and both clients show what came of it", async () => {
    const { scene, client, id } = await asked(version);
    const other = await scene.reloaded(version, { approvals });
    await other.resume();
    await Promise.all([
      client.answerApproval({ id, approved: true }),
      other.answerApproval({ id, approved: false, reason: "No" }),
    ]);
    await expectDone(scene, client, 2);
    await expectDone(scene, other, 2);
    expect(toolState(client)).toBe(toolState(other));
    const approved = toolState(client) === "output-available";
    expect(scene.logged("question.resolved")).toMatchObject([{ answer: { approved } }]);
    // The SDK has no way to take back the loser's own answer, so its history is not tried against the SDK's schema.
    await expectUsable(approved ? client : other);
  });

  it("TR16: a turn with everything, and an approval in its last step, goes on to its end", async () => {
    const scene = await Scene.open(product);
    const client = scene.client(version, { approvals });
    await client.send("/tour");
    await client.answerApproval({ id: await scene.question(), approved: true });
    await client.waitUntilReady();
    await expectDone(scene, client, 2);
    expect(client.messages[1]?.parts.filter(({ type }) => type === "dynamic-tool")).toHaveLength(4);
    await expectUsable(client);
  });

  it("TR16 TURN6: an approval whose turn was aborted elsewhere resolves when it is answered", async () => {
    const { scene, client, id } = await asked(version);
    await scene.api.request("POST", `/api/sessions/${scene.sessionId}/abort`, {});
    expect(await scene.endings()).toEqual(["canceled"]);
    await client.answerApproval({ id, approved: true });
    await expectDone(scene, client, 2);
    expect(toolState(client)).toMatch(/^output-/);
    await expectUsable(client);
  });

  it("TR16 TURN1: a new message instead of an answer waits behind the question", async () => {
    const { scene, client, id } = await asked(version);
    const sending = client.send("Something else");
    await client.until(({ data }) => data.some(({ type }) => type === "data-queue"));
    expect(await scene.api.answer(scene.sessionId, id, { approved: true })).toBe(200);
    await sending;
    expect(reply(client)).toContain('You said: "Something else"');
    expect(await scene.endings(2)).toEqual(["end_turn", "end_turn"]);
    expect(client.exchanges).toHaveLength(2);
  });
});
