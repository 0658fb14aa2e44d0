import { readdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { processesIn } from "../src/agent-processes.ts";
import { Api, streamedText } from "../src/api.ts";
import { Product } from "../src/product.ts";
import { Scene } from "../src/scene.ts";

describe("a session that rests", () => {
  let product: Product;
  let api: Api;

  beforeAll(async () => {
    product = await Product.start({ TIMES: JSON.stringify({ hibernateMs: 500 }) });
    api = await Api.of(product);
  });
  afterAll(() => product.destroy());

  function statuses(scene: Scene): unknown[] {
    return scene.logged("status").map(({ status }) => status);
  }

  it("LIFE1: lets its agent go, and the next prompt wakes it with its history, its files and its memory", async () => {
    const scene = await Scene.open(product);
    const workspace = join(product.data, "workspaces", scene.sessionId);
    await streamedText(await api.chat(scene.sessionId, "/edit notes.txt keep this"));
    for (let nights = 1; nights <= 2; nights += 1) {
      await scene.reader.until(() => statuses(scene).filter((status) => status === "hibernated").length === nights);
      await expect.poll(() => processesIn(workspace)).toEqual([]);
      expect(readdirSync(workspace)).toEqual(["notes.txt"]);
      const history = await scene.history();
      const answer = await streamedText(await api.chat(scene.sessionId, "/remember"));
      expect(answer).toContain("- /edit notes.txt keep this\n");
      expect((await scene.history()).slice(0, history.length)).toEqual(history);
    }
    await scene.reader.until(() => statuses(scene).length === 8);
    const night = ["running", "ready", "hibernated"];
    expect(statuses(scene)).toEqual([...night, ...night, "running", "ready"]);
  });

  it("LIFE1: also after the runner was killed in between", async () => {
    const scene = await Scene.open(product);
    await streamedText(await api.chat(scene.sessionId, "before the crash"));
    await scene.reader.until(() => statuses(scene).includes("hibernated"));
    process.kill(product.runnerPid(), "SIGKILL");
    expect(await streamedText(await api.chat(scene.sessionId, "/remember"))).toContain("- before the crash\n");
  });

  it("LIFE1: a prompt that comes as the session goes to rest is answered all the same", async () => {
    const scene = await Scene.open(product);
    for (let count = 1; count <= 6; count += 1) {
      expect(await streamedText(await api.chat(scene.sessionId, `again ${count}`))).toContain(`again ${count}`);
      await new Promise((resolve) => setTimeout(resolve, 480 + count * 8));
    }
    expect(await streamedText(await api.chat(scene.sessionId, "/remember"))).toContain("- again 6\n");
  });
});
