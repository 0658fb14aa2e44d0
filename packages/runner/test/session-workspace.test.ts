import { spawn } from "node:child_process";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { AgentPlaces, spawnOptions } from "../src/agent-places.ts";
import type { SessionRunnerOptions } from "../src/session-runner.ts";
import { eventually } from "./support/eventually.ts";
import type { Connection } from "./support/fake-worker.ts";
import { text } from "./support/scripted-agent.ts";
import { assign, prompt, startRig } from "./support/session-rig.ts";
import { tempDir } from "./support/temp-dir.ts";

// Processes start slowly on a busy machine.
vi.setConfig({ testTimeout: 20_000 });

const KEY = "sk-abcdabcd-1234";

/** A session with a changed file in its folder. */
async function start(content: string, change: Partial<SessionRunnerOptions> = {}) {
  const [workspace, home] = [join(tempDir(), "workspace"), tempDir()];
  mkdirSync(workspace);
  writeFileSync(join(workspace, "a.txt"), content);
  const looks = { count: 0 };
  const place = () => {
    looks.count += 1;
    return { workspace, home };
  };
  const rig = await startRig({ place, ...change });
  const connection = await rig.worker.next();
  assign(connection);
  return { ...rig, connection, workspace, looks };
}

function eventsOf(connection: Connection, type: string) {
  return connection.events().flatMap(({ event }) => (event.type === type ? [event] : []));
}

describe("WS4: a review", () => {
  test("is one at a time", async () => {
    const { connection, agent } = await start("one\n");
    connection.send({ type: "review", requestId: "r1" });
    const script = await agent.turn(0);
    connection.send({ type: "review", requestId: "r2" });
    await connection.until(() => eventsOf(connection, "review-result").length === 1);
    const error = expect.stringContaining("under review");
    expect(eventsOf(connection, "review-result")).toMatchObject([{ requestId: "r2", error }]);
    await script.push(text('{"files": [], "overallSummary": "Good."}'));
    script.end();
    await connection.until(() => eventsOf(connection, "review-result").length === 2);
    expect(eventsOf(connection, "review-result")[1]).toMatchObject({ requestId: "r1", overallSummary: "Good." });
    connection.send({ type: "review", requestId: "r3" });
    await agent.turn(1);
  });

  test("ends with the session's stay on this host", async () => {
    const { connection, agent, ends } = await start("one\n");
    connection.send({ type: "review", requestId: "r1" });
    await agent.turn(0);
    connection.send({ type: "release" });
    await eventually(() => ends).toEqual(["released"]);
    expect([agent.disposed, agent.turns[0]?.signal.aborted]).toEqual([true, true]);
  });
});

test.runIf(process.getuid?.() === 0)("SEC1: a session that was only looked at leaves no process either", async () => {
  const dir = tempDir();
  chmodSync(dir, 0o711);
  const user = { id: 1_900_000_123 };
  const places = new AgentPlaces({
    workspacesDir: join(dir, "workspaces"),
    homesDir: join(dir, "homes"),
    users: { of: () => user, forget: () => {} },
  });
  const { connection, ends } = await start("", { place: () => places.prepare("s1") });
  connection.send({ type: "diff", requestId: "d1" });
  await connection.until(() => eventsOf(connection, "diff").length === 1);
  const left = spawn("sleep", ["1000"], { ...spawnOptions(places.prepare("s1")), stdio: "ignore" });
  onTestFinished(() => void left.kill("SIGKILL"));
  connection.send({ type: "release" });
  await eventually(() => ends).toEqual(["released"]);
  await eventually(() => left.signalCode).toBe("SIGKILL");
});

describe("WS3: a diff", () => {
  test("is made once for all who wait for it", async () => {
    const { connection, looks } = await start("one\n");
    const requests = Array.from({ length: 30 }, (_, index) => `d${index}`);
    connection.send(...requests.map((requestId) => ({ type: "diff" as const, requestId })));
    await connection.until(() => eventsOf(connection, "diff").length === requests.length);
    expect(eventsOf(connection, "diff")[29]).toMatchObject({ requestId: "d29", files: [{ path: "a.txt" }] });
    expect(looks.count).toBeLessThanOrEqual(2);
  });

  test("HOST2: shows no key, nor a part of one where it is cut", async () => {
    const { connection, agent, workspace } = await start(`A=${KEY}\n`, { secrets: new Set([KEY]) });
    connection.send({ type: "diff", requestId: "d1" });
    await connection.until(() => eventsOf(connection, "diff").length === 1);
    expect(JSON.stringify(eventsOf(connection, "diff"))).toContain("+A=[hidden]");
    prompt(connection, "t1");
    const script = await agent.turn(0);
    writeFileSync(join(workspace, `${KEY}.txt`), `${KEY.repeat(10_000)}\n`);
    script.end();
    await connection.until(() => eventsOf(connection, "diff").length === 2);
    expect(eventsOf(connection, "files-changed")).toMatchObject([{ files: [{ path: "[hidden].txt" }] }]);
    expect(JSON.stringify(connection.received)).not.toContain("sk-");
  });
});
