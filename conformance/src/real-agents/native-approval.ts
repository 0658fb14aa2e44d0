import { expect } from "vitest";
import { expectHistory, expectSound, reply, Scene } from "../scene.ts";
import { type ScriptStep, scripted } from "../scripted-model/script.ts";

/** A turn of an agent whose only call is answered in `useChat` 7 itself; gives the state that its part ends in. */
export async function answeredNatively(
  product: { url: string; data: string },
  agent: string,
  { steps, approved }: { steps: ScriptStep[]; approved: boolean },
): Promise<{ state: string | undefined; text: string }> {
  const scene = await Scene.open(product, "alice", { agent });
  const client = scene.client("7", { approvals: "native" });
  await client.send(scripted(steps));
  await client.answerApproval({ id: await scene.question(), approved });
  await client.waitUntilReady();
  await scene.endings();
  expect([client.status, client.error]).toEqual(["ready", undefined]);
  await expectSound(client);
  await expectHistory(scene, client, "native");
  const state = client.messages.at(-1)?.parts.find(({ toolCallId }) => toolCallId !== undefined)?.state;
  return { state, text: reply(client) };
}
