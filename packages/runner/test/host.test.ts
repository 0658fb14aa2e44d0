import { readdirSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { eventually } from "./support/eventually.ts";
import { type Connection, FakeWorker } from "./support/fake-worker.ts";
import { RunnerProcess } from "./support/runner-process.ts";
import { tempDir } from "./support/temp-dir.ts";

// Processes start slowly on a busy machine.
vi.setConfig({ testTimeout: 20_000 });

const TOKEN = "a-token-that-nobody-may-read";

async function startWorld() {
  const worker = await FakeWorker.start();
  const dir = tempDir();
  const env = {
    AGENT_OPS_URL: worker.baseUrl.replace("ws", "http"),
    AGENT_OPS_RUNNER_TOKEN: TOKEN,
    AGENT_OPS_RUNNER_DATA: join(dir, "data"),
    AGENT_OPS_WORKSPACES: join(dir, "workspaces"),
    AGENT_OPS_HOMES: join(dir, "homes"),
    AGENT_OPS_DRAIN_MS: "0",
  };
  return { worker, dir, env };
}

async function openSession(worker: FakeWorker, host: Connection, acked = 0, turnId?: string): Promise<Connection> {
  host.send({ type: "open", sessionId: "s1", epoch: 1 });
  const session = await worker.next();
  const turn = turnId ? { turnId, turnStarted: true } : {};
  session.send({ type: "assign", sessionId: "s1", epoch: 1, agent: "demo", ...turn }, { type: "ack", seq: acked });
  return session;
}

/** Ids of the processes that work below a folder. */
function processesIn(folder: string): string[] {
  return readdirSync("/proc").filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readlinkSync(`/proc/${pid}/cwd`).startsWith(folder);
    } catch {
      return false;
    }
  });
}

test("RUN1 a host joins with its token, its agents and its sessions, and says nothing on standard output", async () => {
  const { worker, env, dir } = await startWorld();
  const runner = new RunnerProcess(env);
  const host = await worker.next();
  expect(host.path).toBe("/api/runner/host");
  expect(host.headers.authorization).toBe(`Bearer ${TOKEN}`);
  await host.until(() => host.received.length > 0);
  expect(host.hello()).toMatchObject({ type: "hello", agents: ["demo", "opencode"], sessions: [] });
  const session = await openSession(worker, host);
  session.send({ type: "prompt", turnId: "t1", userId: "ada", text: "/edit whisper.txt my secret plan" });
  await session.untilFinalize("t1");
  expect(readdirSync(join(dir, "workspaces", "s1"))).toEqual(["whisper.txt"]);
  expect(await runner.kill("SIGTERM")).toBe(0);
  expect(runner.stdout).toBe("");
  expect(runner.stderr).toContain('"sessionId":"s1"');
  expect(runner.stderr).not.toContain(TOKEN);
  expect(runner.stderr).not.toContain("secret plan");
  for (const line of runner.stderr.trim().split("\n")) expect(JSON.parse(line)).toHaveProperty("event");
});

test("RUN3 RUN6 kill -9 of the host in a turn: the next one tells what was not acknowledged, then that the turn is lost", async () => {
  const { worker, env, dir } = await startWorld();
  const first = new RunnerProcess(env);
  const session = await openSession(worker, await worker.next());
  session.send({ type: "prompt", turnId: "t1", userId: "ada", text: "/stream 5000 1" });
  await session.until(() => session.events().length > 200);
  session.send({ type: "ack", seq: 100 });
  await first.kill("SIGKILL");
  await session.untilClosed();
  const sent = session.events();
  await eventually(() => processesIn(dir)).toEqual([]);

  new RunnerProcess(env);
  const host = await worker.next();
  await host.until(() => host.received.length > 0);
  expect(host.hello()).toMatchObject({ sessions: ["s1"] });
  const again = await openSession(worker, host, 150, "t1");
  await again.untilFinalize("t1");
  const resent = again.events();
  expect(resent[0]?.seq).toBe(151);
  expect(resent.slice(0, sent.length - 150)).toEqual(sent.slice(150));
  expect(resent.map(({ seq }) => seq)).toEqual(resent.map((_, index) => 151 + index));
  expect(again.finalizeOf("t1")).toMatchObject({ reason: "error" });
  expect(again.finalizeOf("t1")?.error).toContain("The runner restarted");
});

test.each(["SIGTERM", "SIGINT"] as const)("%s in a turn ends every process at once, with 0", async (signal) => {
  const { worker, env, dir } = await startWorld();
  const runner = new RunnerProcess(env);
  const session = await openSession(worker, await worker.next());
  session.send({ type: "prompt", turnId: "t1", userId: "ada", text: "/hang" });
  await session.until(() => session.events().length > 0);
  const start = performance.now();
  expect(await runner.kill(signal)).toBe(0);
  expect(performance.now() - start).toBeLessThan(3_000);
  expect(processesIn(dir)).toEqual([]);
  expect(session.finalizeOf("t1")).toMatchObject({ reason: "error" });
});

test("POOL6 SIGTERM lets a turn come to its end, takes no more prompts and no more sessions, and gives all back", async () => {
  const { worker, env } = await startWorld();
  const runner = new RunnerProcess({ ...env, AGENT_OPS_DRAIN_MS: "15000" });
  const host = await worker.next();
  const session = await openSession(worker, host);
  session.send({ type: "prompt", turnId: "t1", userId: "ada", text: "/stream 50 10" });
  await session.until(() => session.events().length > 3);
  const exited = runner.kill("SIGTERM");
  await host.until(() => host.received.some((item) => Object(item).type === "draining"));
  host.send({ type: "open", sessionId: "s2", epoch: 1 });
  session.send({ type: "prompt", turnId: "t2", userId: "ada", text: "too late" });
  await session.untilFinalize("t1");
  expect(session.finalizeOf("t1")).toMatchObject({ reason: "end_turn" });
  session.send({ type: "ack", seq: session.events().at(-1)?.seq ?? 0 });
  expect(await exited).toBe(0);
  expect(session.closeCode).toBe(4503);
  expect(session.events().some(({ event }) => event.turnId === "t2")).toBe(false);
  expect(host.received.at(-1)).toEqual({ type: "closed", sessionId: "s1", epoch: 1 });
  expect(worker.connections).toHaveLength(2);
});

test("POOL6 a second signal ends at once, and what is not acknowledged is not given back", async () => {
  const { worker, env, dir } = await startWorld();
  const runner = new RunnerProcess({ ...env, AGENT_OPS_DRAIN_MS: "60000" });
  const host = await worker.next();
  const session = await openSession(worker, host);
  session.send({ type: "prompt", turnId: "t1", userId: "ada", text: "/hang" });
  await session.until(() => session.events().length > 0);
  runner.child.kill("SIGTERM");
  await host.until(() => host.received.some((item) => Object(item).type === "draining"));
  const start = performance.now();
  expect(await runner.kill("SIGTERM")).toBe(0);
  expect(performance.now() - start).toBeLessThan(3_000);
  expect(processesIn(dir)).toEqual([]);
  expect(session.finalizeOf("t1")).toMatchObject({ reason: "error" });
  expect(host.received.some((item) => Object(item).type === "closed")).toBe(false);
});

test.each([
  { how: "a close with 4409", shutOut: (host: Connection) => host.socket.close(4409), says: "same name" },
  {
    how: "401 when it comes back",
    shutOut: (host: Connection, worker: FakeWorker) => {
      worker.refuseNext = [{ status: 401, code: "unauthorized" }];
      host.socket.terminate();
    },
    says: "agent-ops token --runner",
  },
])("POOL4 $how: the host stays away, says why and ends with 3", async ({ shutOut, says }) => {
  const { worker, env, dir } = await startWorld();
  const runner = new RunnerProcess(env);
  const host = await worker.next();
  const session = await openSession(worker, host);
  session.send({ type: "prompt", turnId: "t1", userId: "ada", text: "/hang" });
  await session.until(() => session.events().length > 0);
  shutOut(host, worker);
  expect(await runner.exited).toBe(3);
  expect(runner.stderr).toContain(says);
  expect(processesIn(dir)).toEqual([]);
  expect(worker.connections).toHaveLength(2);
});

test("POOL3 what the pool says is no longer its own is laid down, its unsent events too", async () => {
  const { worker, env, dir } = await startWorld();
  new RunnerProcess(env);
  const host = await worker.next();
  const session = await openSession(worker, host);
  session.send({ type: "prompt", turnId: "t1", userId: "ada", text: "/hang" });
  await session.until(() => session.events().length > 0);
  host.send({ type: "close", sessionId: "s1" });
  await session.untilClosed();
  await eventually(() => [processesIn(dir), readdirSync(join(dir, "data/outbox"))]).toEqual([[], []]);
  expect(readdirSync(join(dir, "workspaces"))).toEqual(["s1"]);
});

test("POOL7 nothing of a deleted session stays on the host", async () => {
  const { worker, env, dir } = await startWorld();
  new RunnerProcess(env);
  const host = await worker.next();
  const session = await openSession(worker, host);
  session.send({ type: "prompt", turnId: "t1", userId: "ada", text: "/edit a.txt b" });
  await session.untilFinalize("t1");
  host.send({ type: "forget", sessionId: "s1" });
  await host.until(() => host.received.some((item) => Object(item).type === "forgotten"));
  const left = ["workspaces", "homes", "data/outbox"].flatMap((folder) => readdirSync(join(dir, folder)));
  expect([left, processesIn(dir)]).toEqual([[], []]);
});

test("LIFE1 a released session leaves no process, and its agent remembers when it is opened again at once", async () => {
  const { worker, env, dir } = await startWorld();
  new RunnerProcess(env);
  const host = await worker.next();
  const session = await openSession(worker, host);
  session.send({ type: "prompt", turnId: "t1", userId: "ada", text: "my first words" });
  await session.untilFinalize("t1");
  const [create] = session.events();
  const agentSessionId = String(create?.event.agentSessionId);
  session.send({ type: "ack", seq: session.events().at(-1)?.seq ?? 0 }, { type: "release" });
  host.send({ type: "open", sessionId: "s1", epoch: 2 });
  const again = await worker.next();
  expect([again.path, processesIn(dir)]).toEqual(["/api/runner/sessions/s1?epoch=2", []]);
  again.send(
    { type: "assign", sessionId: "s1", epoch: 2, agent: "demo", agentSessionId },
    { type: "ack", seq: 0 },
    { type: "prompt", turnId: "t2", userId: "ada", text: "/remember" },
  );
  await again.untilFinalize("t2");
  const deltas = again.events().map(({ event }) => event.delta ?? "");
  expect(deltas.join("")).toContain("- my first words\n");
  expect(host.received.some((item) => Object(item).type === "closed")).toBe(false);
});

test("a host whose parent is gone ends", async () => {
  const { worker, env } = await startWorld();
  const runner = new RunnerProcess({ ...env, AGENT_OPS_PARENT: "1" }, "pipe");
  await worker.next();
  runner.child.stdin?.destroy();
  expect(await runner.exited).toBe(0);
});

test("RUN1 a host comes back by itself, and names its live sessions", async () => {
  const { worker, env } = await startWorld();
  new RunnerProcess(env);
  const first = await worker.next();
  await openSession(worker, first);
  first.socket.terminate();
  const second = await worker.next();
  await second.until(() => second.received.length > 0);
  expect(second.hello()).toMatchObject({ sessions: ["s1"] });
});

test("a released session is reported as closed, and can be opened again", async () => {
  const { worker, env } = await startWorld();
  new RunnerProcess(env);
  const host = await worker.next();
  const session = await openSession(worker, host);
  session.send({ type: "release" });
  await host.until(() => host.received.length > 1);
  expect(host.received[1]).toEqual({ type: "closed", sessionId: "s1", epoch: 1 });
  await openSession(worker, host);
});

test("RUN5 a lost lease is not given back: the pool may have given it to this host anew", async () => {
  const { worker, env } = await startWorld();
  new RunnerProcess(env);
  const host = await worker.next();
  const session = await openSession(worker, host);
  session.socket.close(4409);
  await session.untilClosed();
  host.send({ type: "open", sessionId: "s1", epoch: 2 });
  expect((await worker.next()).path).toBe("/api/runner/sessions/s1?epoch=2");
  expect(host.received.map((item) => Object(item).type)).toEqual(["hello"]);
});

test("a session id that is no file name is refused", async () => {
  const { worker, env } = await startWorld();
  const runner = new RunnerProcess(env);
  const host = await worker.next();
  host.send({ type: "open", sessionId: "../../etc", epoch: 1 });
  await eventually(() => runner.stderr).toContain("pool.bad_session_id");
});

test("a missing setting is said", async () => {
  const runner = new RunnerProcess({});
  expect(await runner.exited).toBe(2);
  expect(runner.stderr).toContain("AGENT_OPS_URL");
});
