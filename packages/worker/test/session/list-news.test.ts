import { setImmediate } from "node:timers/promises";
import { FIXED_TIMES } from "@agent-ops/shared/limits";
import { afterEach, describe, expect, test, vi } from "vitest";
import { ListNews, type Look } from "../../src/durable-objects/session/list-news.ts";
import { ManualClock } from "../manual-clock.ts";

const AGAIN_MS = FIXED_TIMES.listsAgainMs;
const SOON_MS = FIXED_TIMES.listsMs;
const ADA = { user: "ada", role: "owner" } as const;
const BOB = { user: "bob", role: "viewer" } as const;

/** A session as its lists see it. */
class Scene {
  readonly clock = new ManualClock();
  look: Look = { title: "New session", status: "ready", members: [ADA], people: [] };
  runs = 0;
  stored: string | undefined;
  tellings: { look: Look; gone: string[] }[] = [];
  /** Lists that answer only when a test says so. */
  held: (() => void)[] | undefined;
  unreachable = false;
  isFull = false;
  news = this.#start();

  #start(): ListNews {
    return new ListNews({
      clock: this.clock,
      look: () => structuredClone(this.look),
      runs: () => this.runs,
      told: {
        get: () => this.stored && JSON.parse(this.stored),
        put: (look) => {
          if (this.isFull) throw new Error("The disk is full.");
          this.stored = JSON.stringify(look);
        },
      },
      tell: async (look, gone) => {
        this.tellings.push({ look, gone });
        if (this.held) await new Promise<void>((resolve) => this.held?.push(resolve));
        if (this.unreachable) throw new Error("unreachable");
      },
    });
  }

  change(change: Partial<Look>, within: number = SOON_MS): void {
    this.look = { ...this.look, ...change };
    if (change.status === "running") this.runs += 1; // as SessionRoom does, with the status
    this.news.within(within);
  }

  async pass(ms: number): Promise<void> {
    this.clock.advance(ms);
    await setImmediate();
  }

  /** Nothing in memory outlives it. */
  restart(): void {
    this.clock.forgetTimers();
    this.news = this.#start();
  }

  get statuses(): string[] {
    return this.tellings.map(({ look }) => look.status);
  }

  get people(): string[][] {
    return this.tellings.map(({ look }) => look.people);
  }
}

/** A session whose lists know how it looks. */
async function known(): Promise<Scene> {
  const scene = new Scene();
  await scene.pass(AGAIN_MS);
  expect(scene.tellings).toHaveLength(1);
  scene.tellings = [];
  return scene;
}

describe("LIFE9", () => {
  afterEach(() => vi.restoreAllMocks());

  test("LIFE9: a new session is told of, in case whoever made it could not", async () => {
    await known();
  });

  test("LIFE9: what happens is told a moment after the first of it, once", async () => {
    const scene = await known();
    scene.change({ status: "running" });
    await scene.pass(SOON_MS - 1);
    scene.change({ title: "Named" });
    expect(scene.tellings).toEqual([]);
    await scene.pass(1);
    expect(scene.tellings.map(({ look }) => [look.status, look.title])).toEqual([["running", "Named"]]);
    expect(scene.clock.timers).toBe(0);
  });

  test("LIFE9: what a person did is told at once, with what waited", async () => {
    const scene = await known();
    scene.change({ status: "running" });
    scene.change({ title: "Named" }, 0);
    expect(scene.tellings.map(({ look }) => [look.status, look.title])).toEqual([["running", "Named"]]);
    await scene.pass(SOON_MS);
    expect(scene.tellings).toHaveLength(1);
  });

  test("LIFE9: what is as it was told is not told again", async () => {
    const scene = await known();
    scene.change({ status: "running" });
    scene.change({ status: "ready" });
    scene.change({}, 0);
    await scene.pass(SOON_MS);
    expect(scene.tellings).toEqual([]);
  });

  test("LIFE9: one telling at a time; what changes meanwhile is told after it", async () => {
    const scene = await known();
    scene.held = [];
    scene.change({ title: "One" }, 0);
    scene.change({ title: "Two" }, 0);
    scene.change({ title: "Three" }, 0);
    expect(scene.tellings).toHaveLength(1);
    scene.held.shift()?.();
    await setImmediate();
    expect(scene.tellings).toHaveLength(2);
    scene.held.shift()?.();
    await scene.pass(AGAIN_MS);
    expect(scene.tellings.map(({ look }) => look.title)).toEqual(["One", "Three"]);
  });

  test.each(["ready", "running"])(
    "LIFE9: whoever is no member any more is taken off, also after a crash while %s",
    async (status) => {
      const scene = await known();
      scene.change({ members: [ADA, BOB] }, 0);
      await scene.pass(0);
      scene.change({ status });
      await scene.pass(SOON_MS);
      scene.tellings = [];
      scene.look = { ...scene.look, members: [ADA] };
      scene.restart();
      await scene.pass(AGAIN_MS);
      expect(scene.tellings.map(({ gone }) => gone)).toEqual([["bob"]]);
    },
  );

  test.each(["after it was told", "before"])(
    "LIFE9: so is whoever was one for a moment, with a crash %s",
    async (when) => {
      const scene = await known();
      scene.change({ status: "running" });
      await scene.pass(SOON_MS);
      if (when === "before") scene.held = [];
      scene.change({ members: [ADA, BOB] }, 0);
      await scene.pass(0);
      scene.look = { ...scene.look, members: [ADA] };
      scene.held = undefined;
      scene.tellings = [];
      scene.restart();
      await scene.pass(AGAIN_MS);
      expect(scene.tellings.map(({ gone }) => gone)).toEqual([["bob"]]);
    },
  );

  test("LIFE9: an end that was stored and not told before a crash is told after it", async () => {
    const scene = await known();
    scene.change({ status: "running" });
    await scene.pass(SOON_MS);
    scene.change({ status: "ready" });
    scene.restart();
    await scene.pass(AGAIN_MS);
    expect(scene.statuses).toEqual(["running", "ready"]);
    scene.restart();
    await scene.pass(AGAIN_MS);
    expect(scene.tellings).toHaveLength(2);
  });

  test("LIFE9: neither is it missed where a telling of what was before comes through during the turn", async () => {
    const scene = await known();
    scene.held = [];
    scene.change({ title: "Named" }, 0);
    scene.change({ status: "running" });
    scene.held.shift()?.();
    await scene.pass(SOON_MS);
    scene.held.shift()?.();
    await scene.pass(0);
    scene.change({ status: "ready" });
    scene.held = undefined;
    scene.restart();
    await scene.pass(AGAIN_MS);
    expect(scene.statuses).toEqual(["ready", "running", "ready"]);
  });

  test("LIFE9: one that wakes again and again during a turn tells that once", async () => {
    const scene = await known();
    scene.change({ status: "running" });
    await scene.pass(SOON_MS);
    scene.tellings = [];
    for (let wakes = 0; wakes < 5; wakes += 1) {
      scene.restart();
      await scene.pass(AGAIN_MS);
    }
    expect(scene.statuses).toEqual(["running"]);
  });

  test("LIFE9: lists that are not reached are told later, and ever later", async () => {
    vi.spyOn(console, "error").mockImplementation(() => undefined);
    const scene = await known();
    scene.unreachable = true;
    scene.change({ title: "Named" }, 0);
    await scene.pass(0);
    for (const wait of [AGAIN_MS, 2 * AGAIN_MS, 4 * AGAIN_MS]) {
      const count = scene.tellings.length;
      await scene.pass(wait - 1);
      expect(scene.tellings).toHaveLength(count);
      await scene.pass(1);
      expect(scene.tellings).toHaveLength(count + 1);
    }
    scene.unreachable = false;
    await scene.pass(8 * AGAIN_MS);
    expect(scene.tellings).toHaveLength(5);
    expect(scene.clock.timers).toBe(0);
  });

  test.each(["goes on", "crashes"])(
    "LIFE9: some may have heard what others did not: also what is as before is told again (%s)",
    async (how) => {
      vi.spyOn(console, "error").mockImplementation(() => undefined);
      const scene = await known();
      scene.unreachable = true;
      scene.change({ title: "Other", members: [ADA, BOB] }, 0);
      await scene.pass(0);
      scene.unreachable = false;
      scene.change({ title: "New session", members: [ADA] });
      if (how === "crashes") scene.restart();
      await scene.pass(AGAIN_MS);
      expect(scene.tellings.map(({ look, gone }) => [look.title, gone])).toEqual([
        ["Other", []],
        ["New session", ["bob"]],
      ]);
    },
  );

  test("LIFE9: what a person did does not wait for a timer that is late", async () => {
    const scene = await known();
    scene.change({ status: "running" });
    scene.clock.forgetTimers();
    scene.clock.advance(SOON_MS);
    scene.change({ title: "Named" }, 0);
    expect(scene.tellings.map(({ look }) => look.title)).toEqual(["Named"]);
  });

  test("LIFE9: what could not be kept is said, and told again when the session looks different", async () => {
    const error = vi.spyOn(console, "error").mockImplementation(() => undefined);
    const scene = await known();
    scene.isFull = true;
    scene.change({ title: "Named" }, 0);
    await scene.pass(0);
    expect(error).toHaveBeenCalledWith(expect.stringContaining("not kept"));
    scene.isFull = false;
    scene.change({ title: "Again" }, 0);
    await scene.pass(0);
    expect(scene.tellings.map(({ look }) => look.title)).toEqual(["Named", "Again"]);
  });

  test("ACL6: one that is gone waits for what is being told, tells nothing more, and keeps nothing", async () => {
    const scene = await known();
    scene.held = [];
    scene.change({ members: [ADA, BOB] }, 0);
    const { stored } = scene;
    scene.change({ status: "running" });
    const closed = scene.news.close();
    scene.change({ title: "After" }, 0);
    await scene.pass(AGAIN_MS);
    scene.held.shift()?.();
    expect(await closed).toEqual(["ada", "bob"]);
    await scene.pass(AGAIN_MS);
    expect(scene.tellings).toHaveLength(1);
    expect([scene.stored, scene.clock.timers]).toEqual([stored, 0]);
  });
});

describe("LIFE7", () => {
  test("LIFE7: a crowd that comes at once is told once, after the delay", async () => {
    const scene = await known();
    for (let count = 1; count <= 50; count += 1) {
      scene.change({ people: Array.from({ length: count }, (_, at) => `user-${at}`) }, AGAIN_MS);
    }
    expect(scene.clock.timers).toBe(1);
    await scene.pass(AGAIN_MS - 1);
    expect(scene.tellings).toEqual([]);
    await scene.pass(1);
    expect(scene.people.map(({ length }) => length)).toEqual([50]);
  });

  test("LIFE7: a reload, and a visit that is over by then, tell nothing", async () => {
    const scene = await known();
    const present = (...people: string[]) => scene.change({ people }, AGAIN_MS);
    present("ada");
    await scene.pass(AGAIN_MS);
    present();
    present("ada");
    await scene.pass(AGAIN_MS);
    present("ada", "bob");
    present("ada");
    await scene.pass(AGAIN_MS);
    expect(scene.people).toEqual([["ada"]]);
  });

  test("LIFE7: those who did not come back after a restart are taken off the lists", async () => {
    const scene = await known();
    scene.change({ people: ["ada", "bob"] }, AGAIN_MS);
    await scene.pass(AGAIN_MS);
    scene.look = { ...scene.look, people: ["bob"] };
    scene.restart();
    await scene.pass(AGAIN_MS);
    expect(scene.people).toEqual([["ada", "bob"], ["bob"]]);
  });
});
