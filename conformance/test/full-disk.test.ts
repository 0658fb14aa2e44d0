import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { streamedText } from "../src/api.ts";
import { Product } from "../src/product.ts";
import { MAIN, RunnerHost, runnerToken } from "../src/runner-host.ts";
import { Scene } from "../src/scene.ts";
import { SmallDisk } from "../src/small-disk.ts";

const disk = SmallDisk.mount(32);
const runnerDisk = SmallDisk.mount(8);
/** More than what a database can store without growing. */
const LONG = "x".repeat(200_000);

describe.skipIf(!disk || !runnerDisk)("a full disk (needs the right to mount one)", () => {
  let product: Product;
  beforeAll(async () => {
    product = await Product.start({}, join(String(disk?.path), "data"));
  });
  afterEach(() => {
    disk?.free();
    runnerDisk?.free();
  });
  afterAll(async () => {
    await product.destroy();
    disk?.unmount();
    runnerDisk?.unmount();
  });

  /** Posts a prompt until it is taken or refused, whatever the state of the server. */
  async function post(scene: Scene, id: string, text: string): Promise<{ status: number; body: string }> {
    const response = await scene.api.chat(scene.sessionId, text, id);
    return { status: response.status, body: await response.text() };
  }

  it("BAD4: a prompt that cannot be stored is refused and says why; it works when there is room, and what was taken stays", async () => {
    const scene = await Scene.open(product);
    await post(scene, "before", "hello");
    disk?.fill();
    const refused = await post(scene, "long", `/empty ${LONG}`);
    expect(refused).toMatchObject({ status: 503, body: expect.stringContaining("disk is full") });
    await expect.poll(() => product.stderr).toContain("The disk that holds the data is full.");
    disk?.free();
    await expect.poll(() => post(scene, "long", `/empty ${LONG}`)).toMatchObject({ status: 200 });
    await post(scene, "after", "hello again");
    const log = scene.log();
    expect(log.map(({ seq }) => seq)).toEqual(log.map((_, index) => index + 1));
    expect(log.flatMap((event) => (event.type === "message" ? [messageId(event.message)] : []))).toEqual([
      "before",
      "long",
      "after",
    ]);
  });

  it("BAD4: a turn that is under way ends with an error that says so, and the reader's view is the log", async () => {
    const scene = await Scene.open(product);
    scene.reader.send({ type: "prompt", id: "p1", text: "/stream 100000 1" });
    await scene.reader.until(({ events }) => events.length > 500);
    const closed = scene.reader.closed;
    const said = product.stderr.length;
    disk?.fill();
    await closed;
    await expect.poll(() => product.stderr.slice(said)).toContain("outbox.write_failed");
    disk?.free();
    await expect
      .poll(() =>
        scene.reader.connect().then(
          () => true,
          () => false,
        ),
      )
      .toBe(true);
    expect(await scene.endings()).toEqual(["error"]);
    expect(scene.logged("message.finalize")[0]?.error).toContain("cannot write to its disk");
    await scene.reader.until(({ events }) => events.at(-1)?.type === "status");
    expect(scene.reader.events).toEqual(scene.log());
    const words = scene.logged("message.part.text-delta").map(({ delta }) => delta);
    expect(words).toEqual(words.map((_, index) => `t${index} `));
  });

  it("BAD4: a runner whose disk is full says so, fails the turn, and goes on when there is room", async () => {
    const host = await RunnerHost.join(product, runnerToken(product, "small"), join(String(runnerDisk?.path), "data"));
    try {
      const scene = await sceneOn(host);
      runnerDisk?.fill();
      await streamedText(await scene.api.chat(scene.sessionId, "/stream 20000 1"));
      expect(await scene.endings(2)).toEqual(["end_turn", "error"]);
      expect(scene.logged("message.finalize")[1]?.error).toMatch(/disk|ENOSPC/);
      await expect.poll(() => host.stderr).toContain("The disk that holds the data is full.");
      runnerDisk?.free();
      expect(await streamedText(await scene.api.chat(scene.sessionId, "and now?"))).toContain("and now?");
    } finally {
      await host.destroy();
    }
  });

  it("BAD4: a start on a full disk says so, and leaves nothing behind that is in the way of the next one", async () => {
    const data = join(String(runnerDisk?.path), "new");
    runnerDisk?.fill();
    const starting = promisify(execFile)(process.execPath, [MAIN, "start", "--no-open", "--data", data]);
    await expect(starting).rejects.toMatchObject({ code: 1, stderr: expect.stringContaining("no room left") });
    runnerDisk?.free();
    const started = await Product.start({}, data);
    expect(await started.stop()).toBe(0);
  });

  async function sceneOn(host: RunnerHost): Promise<Scene> {
    for (;;) {
      const scene = await Scene.open(product);
      await streamedText(await scene.api.chat(scene.sessionId, "hello"));
      if (host.sessions.includes(scene.sessionId)) return scene;
    }
  }
});

function messageId(message: unknown): unknown {
  return typeof message === "object" && message !== null && "id" in message ? message.id : undefined;
}
