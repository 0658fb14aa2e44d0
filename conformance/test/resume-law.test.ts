import { describe, expect, inject, it } from "vitest";
import type { Api, SseChunk } from "../src/api.ts";
import { sseChunks } from "../src/api.ts";
import type { ChatClient, ClientVersion } from "../src/clients/create-client.ts";
import { Product } from "../src/product.ts";
import { Scene, words } from "../src/scene.ts";

const product = inject("product");
type Mode = "question" | "native";

function ask(scene: Scene, turnId: string, startIndex: number, mode: Mode): Promise<Response> {
  const path = `/api/sessions/${scene.sessionId}/chat/${turnId}/stream?startIndex=${startIndex}&approvals=${mode}`;
  return scene.api.request("GET", path);
}

/** What a turn's stream yields from an index on. */
async function from(scene: Scene, turnId: string, startIndex: number, mode: Mode = "question"): Promise<SseChunk[]> {
  const response = await ask(scene, turnId, startIndex, mode);
  expect(response.status).toBe(200);
  return sseChunks(await response.text());
}

/** What a client got of the answer, without what counts for the moment alone. */
function loggedOf({ frames }: ChatClient): SseChunk[] {
  const chunks: SseChunk[] = frames.filter((frame) => frame !== "[DONE]").map((frame) => JSON.parse(frame));
  return chunks.filter((chunk) => chunk.transient !== true);
}

async function tour(version: ClientVersion, mode: Mode): Promise<{ scene: Scene; client: ChatClient; turnId: string }> {
  const scene = await Scene.open(product);
  const client = scene.client(version, mode === "native" ? { approvals: "native" } : {});
  const sending = client.send("/tour");
  const questionId = await scene.question();
  if (mode === "native") {
    await sending;
    await client.answerApproval({ id: questionId, approved: true });
    await client.waitUntilReady();
  } else {
    await client.until(({ messages }) => messages[1]?.parts.some(({ type }) => type === "data-question") ?? false);
    await scene.api.answer(scene.sessionId, questionId, { approved: true });
    await sending;
  }
  return { scene, client, turnId: String(client.messages[1]?.id) };
}

const EVERYTHING = [
  ...["start", "start-step", "reasoning-start", "reasoning-delta", "reasoning-end", "text-start", "text-delta"],
  ...["text-end", "finish-step", "tool-input-start", "tool-input-delta", "tool-input-available"],
  ...["tool-output-available", "tool-output-error", "data-question", "finish"],
];

describe.concurrent("a turn that has ended", () => {
  it.each<[ClientVersion, Mode]>([
    ["5", "question"],
    ["5-strict", "question"],
    ["6", "question"],
    ["6", "native"],
    ["7", "question"],
    ["7", "native"],
  ])("SSE8 TR16: AI SDK %s, approvals as %s: from every cut point the rest is exact", async (version, mode) => {
    const { scene, client, turnId } = await tour(version, mode);
    const whole = await from(scene, turnId, 0, mode);
    expect(loggedOf(client)).toEqual(whole);
    const expected = mode === "native" ? [...EVERYTHING, "tool-approval-request"] : EVERYTHING;
    expect(new Set(whole.map(({ type }) => type))).toEqual(new Set(expected));
    const cuts = whole.map((_, index) => index);
    const rests = await inTurns(cuts, (cut) => from(scene, turnId, cut, mode));
    for (const cut of cuts) expect([...whole.slice(0, cut), ...(rests[cut] ?? [])]).toEqual(whole);
    expect((await ask(scene, turnId, whole.length, mode)).status).toBe(204);
    const beyond = await from(scene, turnId, whole.length + 1, mode);
    expect(beyond).toEqual([{ type: "error", errorText: expect.stringContaining("no such place") }]);
  });
});

describe("a turn that runs", () => {
  it("SSE8: /stream 60 20, read from every index at once, live, and again afterwards", async () => {
    const scene = await Scene.open(product);
    const client = scene.client("7");
    const sending = client.send("/stream 60 20");
    await client.until(({ messages }) => (messages[1]?.parts.length ?? 0) > 1);
    const turnId = String(client.messages[1]?.id);
    const count = 60 + "start start-step text-start text-end finish-step finish".split(" ").length;
    const cuts = Array.from({ length: count }, (_, index) => index);
    const live = await Promise.all(
      cuts.flatMap((cut) => [from(scene, turnId, cut), from(scene, turnId, cut, "native")]),
    );
    await sending;
    const whole = loggedOf(client);
    expect(whole).toHaveLength(count);
    for (const cut of cuts) {
      for (const rest of live.slice(2 * cut, 2 * cut + 2)) expect([...whole.slice(0, cut), ...rest]).toEqual(whole);
    }
    const late = await inTurns(cuts, (cut) => from(scene, turnId, cut));
    for (const cut of cuts) expect([...whole.slice(0, cut), ...(late[cut] ?? [])]).toEqual(whole);
  });
});

describe("kill -9 of workerd during the turn", () => {
  it("SSE8 LOG5: what was received before, stored or not, and what an index yields after, are the whole", async () => {
    const own = await Product.start();
    try {
      const scene = await Scene.open(own);
      const count = 1500;
      const response = await scene.api.chat(scene.sessionId, `/stream ${count} 4`);
      const turnId = response.headers.get("x-workflow-run-id") ?? "";
      let received = await readAtLeast(response, 100);
      for (const more of [400, 900]) {
        process.kill(own.workerdPid(), "SIGKILL");
        received = [...received, ...(await resumed(scene.api, scene.sessionId, turnId, received.length, more))];
      }
      received = [...received, ...(await resumed(scene.api, scene.sessionId, turnId, received.length))];
      const whole = await from(scene, turnId, 0);
      expect(received).toEqual(whole);
      expect(whole.map(({ delta }) => delta ?? "").join("")).toBe(words(count));
    } finally {
      await own.destroy();
    }
  });
});

/** Reads until so many logged chunks are there; the connection may break before the end, as a killed server's does. */
async function readAtLeast(response: Response, count: number): Promise<SseChunk[]> {
  let text = "";
  const decoder = new TextDecoder();
  const whole = () => sseChunks(text.slice(0, text.lastIndexOf("\n\n"))).filter(({ transient }) => transient !== true);
  for await (const bytes of response.body ?? []) {
    text += decoder.decode(bytes, { stream: true });
    if (whole().length >= count) break;
  }
  return whole();
}

/** A server that restarts refuses for a moment. */
async function resumed(api: Api, sessionId: string, turnId: string, index: number, count = Infinity) {
  for (let tries = 0; ; tries++) {
    try {
      const path = `/api/sessions/${sessionId}/chat/${turnId}/stream?startIndex=${index}`;
      const response = await api.request("GET", path);
      expect(response.status).toBe(200);
      return await readAtLeast(response, count - index);
    } catch (error) {
      if (tries > 200) throw error;
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
  }
}

/** A few requests at a time. */
async function inTurns<T>(cuts: readonly number[], read: (cut: number) => Promise<T>): Promise<T[]> {
  const results: T[] = [];
  for (let start = 0; start < cuts.length; start += 20) {
    results.push(...(await Promise.all(cuts.slice(start, start + 20).map(read))));
  }
  return results;
}
