import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Api, streamedText } from "../src/api.ts";
import { isDead } from "../src/is-dead.ts";
import { Product } from "../src/product.ts";

/** Stated for a quiet machine; one that is busy with other tests gets more time. */
const BACK_MS = 2_000;
const PATIENCE = 5;

describe("agent-ops start watches over its processes", () => {
  let product: Product;
  let api: Api;
  beforeAll(async () => {
    product = await Product.start();
    api = await Api.of(product);
  });
  afterAll(() => product.destroy());

  /** A process other than the one that was killed. */
  async function successor(find: () => number, killed: number): Promise<number> {
    const deadline = performance.now() + PATIENCE * BACK_MS;
    while (performance.now() < deadline) {
      const pid = attempt(find);
      if (pid !== undefined && pid !== killed) return pid;
      await delay(10);
    }
    throw new Error("No other process took its place.");
  }

  async function expectWork(): Promise<void> {
    await expect.poll(() => api.createSession().catch(() => undefined), { timeout: PATIENCE * BACK_MS }).toBeDefined();
    expect(await streamedText(await api.chat(await api.createSession(), "still there?"))).toContain("still there?");
  }

  it("BAD2: a workerd that is killed is started again, and it says so", async () => {
    const killed = product.workerdPid();
    process.kill(killed, "SIGKILL");
    await successor(() => product.workerdPid(), killed);
    await expectWork();
    await expect
      .poll(() => product.stderr)
      .toContain("The worker's runtime ended; it was started again on the same data.");
  });

  it("BAD2: so is a workerd that is killed once more while it starts", async () => {
    const killed = product.workerdPid();
    process.kill(killed, "SIGKILL");
    process.kill(await successor(() => product.workerdPid(), killed), "SIGKILL");
    await expectWork();
  });

  it("BAD2: so is the process that holds workerd, which does not outlive it", async () => {
    const [killed, workerd] = [product.workerPid(), product.workerdPid()];
    process.kill(killed, "SIGKILL");
    await successor(() => product.workerdPid(), workerd);
    expect(isDead(workerd)).toBe(true);
    await expectWork();
    await expect.poll(() => product.stderr).toContain("The worker ended (SIGKILL); it is started again.");
  });

  it("BAD2: so is a runner", async () => {
    const killed = product.runnerPid();
    process.kill(killed, "SIGKILL");
    await successor(() => product.runnerPid(), killed);
    await expect.poll(() => product.stderr).toContain("The runner ended (SIGKILL); it is started again.");
    await expectWork();
  });
});

function attempt(find: () => number): number | undefined {
  try {
    return find();
  } catch {
    return undefined; // not there yet
  }
}
