import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { Api, streamedText } from "../src/api.ts";
import { FrameSocket } from "../src/frame-socket.ts";
import { Product } from "../src/product.ts";
import { MAIN, RunnerHost, runnerToken } from "../src/runner-host.ts";
import { Scene } from "../src/scene.ts";

const LOST_MS = 1_500;

describe("many runner hosts", () => {
  let product: Product;
  let api: Api;
  const hosts: RunnerHost[] = [];

  beforeAll(async () => {
    product = await Product.start({ TIMES: JSON.stringify({ hostLostMs: LOST_MS }) });
    api = await Api.of(product);
  });
  afterEach(async () => {
    for (const host of hosts.splice(0)) await host.destroy();
  });
  afterAll(() => product.destroy());

  async function joinHost(name: string = randomUUID(), data?: string): Promise<RunnerHost> {
    const host = await RunnerHost.join(product, runnerToken(product, name), data);
    hosts.push(host);
    return host;
  }

  /** Sessions with one turn each, until `count` of them are on this host. */
  async function sessionsOn(host: RunnerHost, count: number): Promise<Scene[]> {
    const scenes: Scene[] = [];
    while (scenes.length < count) {
      const scene = await Scene.open(product);
      await streamedText(await api.chat(scene.sessionId, "hello"));
      if (host.sessions.includes(scene.sessionId)) scenes.push(scene);
    }
    return scenes;
  }

  function sessionsHere(): string[] {
    return readdirSync(join(product.data, "workspaces"));
  }

  it("POOL1: sessions are spread over both hosts", async () => {
    const host = await joinHost();
    const ids = await Promise.all(Array.from({ length: 8 }, () => api.createSession()));
    for (const id of ids) await streamedText(await api.chat(id, "hello"));
    const there = ids.filter((id) => host.sessions.includes(id));
    expect(there.length).toBeGreaterThanOrEqual(4);
    expect(ids.filter((id) => sessionsHere().includes(id))).toEqual(ids.filter((id) => !there.includes(id)));
  });

  it("POOL3: kill -9 of a host: its turn ends with an error, its sessions go on at the other with their history", async () => {
    const host = await joinHost();
    const [busy, idle] = await sessionsOn(host, 2);
    if (!busy || !idle) throw new Error("No sessions.");
    busy.reader.send({ type: "prompt", id: "long", text: "/stream 100000 10" });
    await busy.reader.until(({ events }) => events.filter(({ type }) => type.includes("delta")).length > 20);
    const start = performance.now();
    await host.crash();
    expect(await busy.endings(2)).toEqual(["end_turn", "error"]);
    expect(performance.now() - start).toBeLessThan(LOST_MS + 3_000);
    expect(busy.logged("message.finalize")[1]?.error).toContain("runner host went away");
    for (const scene of [busy, idle]) {
      const before = await scene.history();
      expect(await streamedText(await api.chat(scene.sessionId, "still there?"))).toContain('"still there?"');
      expect(sessionsHere()).toContain(scene.sessionId);
      expect((await scene.history()).slice(0, before.length)).toEqual(before);
      expect(scene.log().map(({ seq }) => seq)).toEqual(scene.log().map((_, index) => index + 1));
    }
  });

  it("POOL3: a prompt right after the kill runs at the other host, or is reported failed within the bound", async () => {
    const host = await joinHost();
    const [scene] = await sessionsOn(host, 1);
    if (!scene) throw new Error("No session.");
    await host.crash();
    const answer = await streamedText(await api.chat(scene.sessionId, "at once"));
    await scene.endings(2);
    const [, end] = scene.logged("message.finalize");
    // A prompt that went into a socket whose end was not yet known may have been read.
    if (end?.reason === "error")
      expect([answer, end.error]).toEqual(["", expect.stringContaining("runner host went away")]);
    else expect(answer).toContain('"at once"');
    expect(await streamedText(await api.chat(scene.sessionId, "and now"))).toContain('"and now"');
  });

  it("POOL6: SIGTERM lets a turn end, and what was queued behind it runs at the other host", async () => {
    const host = await joinHost();
    const [scene] = await sessionsOn(host, 1);
    if (!scene) throw new Error("No session.");
    scene.reader.send({ type: "prompt", id: "running", text: "/stream 150 10" });
    scene.reader.send({ type: "prompt", id: "queued", text: "and then?" });
    await scene.reader.until(({ events }) => events.some(({ type }) => type === "queue.state"));
    await scene.reader.until(({ events }) => events.filter(({ type }) => type.includes("delta")).length > 20);
    host.child.kill("SIGTERM");
    expect(await scene.endings(3)).toEqual(["end_turn", "end_turn", "end_turn"]);
    expect(await host.exited).toBe(0);
    expect(sessionsHere()).toContain(scene.sessionId);
    const texts = (await scene.history()).map(({ parts }) => parts.map((part) => part.text ?? "").join(""));
    expect(texts.at(-3)).toContain("t149 ");
    expect(texts.at(-1)).toContain('"and then?"');
  });

  it("POOL4: of two hosts with one name the newer stays; the older says why and ends", async () => {
    const older = await joinHost("twins");
    const newer = await joinHost("twins");
    expect(await older.exited).toBe(2);
    await expect.poll(() => older.stderr).toContain("Another runner host has joined under the same name");
    await sessionsOn(newer, 1);
  });

  it("POOL5: a host's token does not open the door of a session that another host has", async () => {
    const id = await api.createSession();
    await streamedText(await api.chat(id, "hello"));
    const stranger = new Api(product.url, runnerToken(product, "stranger"));
    for (const epoch of [0, 1, 2]) {
      const door = FrameSocket.open(stranger, `/api/runner/sessions/${id}?epoch=${epoch}`);
      await expect(door).rejects.toThrow("409");
    }
  });

  it("POOL7: a deleted session leaves nothing on its host", async () => {
    const host = await joinHost();
    const [scene] = await sessionsOn(host, 1);
    if (!scene) throw new Error("No session.");
    expect((await api.request("DELETE", `/api/sessions/${scene.sessionId}`)).status).toBe(204);
    await expect.poll(() => leftOf(host.data, scene.sessionId)).toEqual([]);
  });

  it("POOL7: nor on one that had it before and comes back later", async () => {
    const host = await joinHost("wanderer");
    const [scene] = await sessionsOn(host, 1);
    if (!scene) throw new Error("No session.");
    await host.crash();
    await expect
      .poll(async () => streamedText(await api.chat(scene.sessionId, "go on")), { timeout: 20_000 })
      .toContain('"go on"');
    expect(sessionsHere()).toContain(scene.sessionId);
    expect((await api.request("DELETE", `/api/sessions/${scene.sessionId}`)).status).toBe(204);
    expect(leftOf(host.data, scene.sessionId)).not.toEqual([]);
    await joinHost("wanderer", host.data);
    await expect.poll(() => leftOf(host.data, scene.sessionId)).toEqual([]);
  });

  it("ACL5: the token cannot be read from the command line of the runner", async () => {
    const host = await joinHost();
    const command = readFileSync(`/proc/${host.child.pid}/cmdline`, "utf8");
    expect(command.replaceAll("\0", "")).toBe("agent-ops runner");
  });
});

function leftOf(folder: string, sessionId: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((path) => path.includes(sessionId));
}

describe("agent-ops runner says what is wrong and ends", () => {
  let product: Product;
  beforeAll(async () => {
    product = await Product.start();
  });
  afterAll(() => product.destroy());

  async function failure(...args: string[]): Promise<{ code: number; stderr: string }> {
    const started = promisify(execFile)(process.execPath, [MAIN, "runner", ...args]);
    return started.then(
      () => ({ code: 0, stderr: "" }),
      (error: { code: number; stderr: string }) => error,
    );
  }

  it("of an address where nobody is, or somebody else", async () => {
    const nobody = await failure("--url", "http://127.0.0.1:2", "--token", "x");
    expect(nobody).toMatchObject({ code: 2, stderr: expect.stringContaining("cannot be reached (ECONNREFUSED)") });
    const wrong = await failure("--url", `${product.url}/elsewhere`, "--token", "x");
    expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining("does not answer like Agent Ops") });
    expect(await failure("--url", "agents", "--token", "x")).toMatchObject({ code: 2 });
  });

  it("ACL5: of a token that is none, or a person's", async () => {
    for (const token of ["x", (await Api.of(product)).token]) {
      const refused = await failure("--url", product.url, "--token", token);
      expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining("agent-ops token --runner NAME") });
    }
    expect(await failure("--url", product.url)).toMatchObject({ code: 2, stderr: expect.stringContaining("--token") });
  });
});
