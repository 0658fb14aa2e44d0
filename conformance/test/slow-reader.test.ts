import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { sseChunks, streamedText } from "../src/api.ts";
import { Product } from "../src/product.ts";
import { RawReader } from "../src/raw-reader.ts";
import { expectUsable, Scene, words } from "../src/scene.ts";

const DELTAS = 150_000;
/** Far below what a reader on a busy machine can take: it must be cut for standing still, not for being slow. */
const PAUSE_MS = 0.05;
const SLOW = 8;

let product: Product;
beforeAll(async () => {
  product = await Product.start();
});
afterAll(() => product.destroy());

/** The memory of the server's process, in MB. */
function memory(): number {
  const status = readFileSync(`/proc/${product.workerdPid()}/status`, "utf8");
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) / 1024;
}

/** A turn whose readers are all there before it begins; `begin` lets it. */
async function waitingTurn(scene: Scene): Promise<{ asked: Response; path: string; begin(): Promise<void> }> {
  const { api, sessionId } = scene;
  const first = await api.chat(sessionId, "/ask");
  const questionId = await scene.question();
  const asked = await api.chat(sessionId, `/stream ${DELTAS} ${PAUSE_MS}`);
  const path = `/api/sessions/${sessionId}/chat/${asked.headers.get("x-workflow-run-id")}/stream`;
  const begin = async () => {
    await api.answer(sessionId, questionId, { value: "red" });
    await first.text();
  };
  return { asked, path, begin };
}

describe("readers that do not keep up", () => {
  it("SSE7: who stops reading is cut above 1 MB and told so; the others get everything, and memory stays bounded", async () => {
    const scene = await Scene.open(product);
    const { asked, path, begin } = await waitingTurn(scene);
    scene.reader.close();
    const others = [asked, await scene.api.request("GET", path), await scene.api.request("GET", path)].map(
      streamedText,
    );
    const slow = await Promise.all(Array.from({ length: SLOW }, () => RawReader.open(scene.api, path)));
    const before = memory();
    await begin();
    for (const text of await Promise.all(others)) expect(text === words(DELTAS)).toBe(true);
    // Without a bound each of them would leave 9 MB here, less what the network itself holds.
    expect(memory() - before).toBeLessThan(100);
    await Promise.all(slow.map((reader) => reader.readToEnd()));
    for (const { text } of slow) {
      const chunks = sseChunks(text);
      expect(chunks.at(-1), text.slice(0, 1000)).toEqual({
        type: "error",
        errorText: expect.stringContaining("too slowly"),
      });
      expect(text).toContain("data: [DONE]\n\n");
      const read = chunks.map(({ delta }) => delta ?? "").join("");
      expect(words(DELTAS).startsWith(read)).toBe(true);
    }
    await expectUsable(await scene.reloaded("7"));
  });

  it("SSE7 SSE6 LOG9: a replay is read at a thousand bytes a second, while the log is cut behind it", async () => {
    const scene = await Scene.open(product);
    const { asked, path, begin } = await waitingTurn(scene);
    await begin();
    expect((await streamedText(asked)) === words(DELTAS)).toBe(true);
    const reader = await RawReader.open(scene.api, path);
    const next = await scene.api.chat(scene.sessionId, `/stream ${DELTAS} 0`);
    await Promise.all([next.text(), reader.readSlowly(1000, 3)]);
    const early = reader.text;
    await reader.readToEnd();
    await (await scene.api.chat(scene.sessionId, "Hello")).text();
    expect((await scene.api.request("GET", path)).status).toBe(404);
    expect(early.length).toBeLessThan(200_000);
    const chunks = sseChunks(reader.text);
    expect(chunks.at(-1)).toEqual({ type: "finish" });
    expect(chunks.map(({ delta }) => delta ?? "").join("") === words(DELTAS)).toBe(true);
  });
});
