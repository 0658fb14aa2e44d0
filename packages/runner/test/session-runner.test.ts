import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { TIMES } from "@agent-ops/shared/limits";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { createAgent } from "../src/agents/registry.ts";
import { systemClock } from "../src/clock.ts";
import { createLog } from "../src/log.ts";
import { loadOutbox } from "../src/outbox-file.ts";
import { SessionRunner, type SessionRunnerOptions } from "../src/session-runner.ts";
import { eventually } from "./support/eventually.ts";
import { type Connection, FakeWorker } from "./support/fake-worker.ts";
import { ManualClock } from "./support/manual-clock.ts";
import { ScriptedAgent, text } from "./support/scripted-agent.ts";
import { tempDir } from "./support/temp-dir.ts";

// Processes start slowly on a busy machine.
vi.setConfig({ testTimeout: 20_000 });

const RESTARTED = "The runner restarted while the agent was working. Send the prompt again.";

interface Rig {
  worker: FakeWorker;
  agent: ScriptedAgent;
  runner: SessionRunner;
  outboxPath: string;
  ends: string[];
  restart(change?: Partial<SessionRunnerOptions>): SessionRunner;
}

async function startRig(change: Partial<SessionRunnerOptions> = {}): Promise<Rig> {
  const worker = await FakeWorker.start();
  const dir = tempDir();
  const agent = new ScriptedAgent();
  const outboxPath = join(dir, "s1.jsonl");
  const ends: string[] = [];
  const restart = (more: Partial<SessionRunnerOptions> = {}) => {
    const runner = new SessionRunner({
      sessionId: "s1",
      epoch: 1,
      baseUrl: worker.baseUrl,
      token: "runner-token",
      outboxPath,
      workspace: join(dir, "workspace"),
      createAgent: () => agent,
      clock: systemClock,
      log: createLog(() => {}),
      onEnd: (why) => ends.push(why),
      ...change,
      ...more,
    });
    onTestFinished(() => runner.stop());
    return runner;
  };
  return { worker, agent, runner: restart(), outboxPath, ends, restart };
}

function assign(
  connection: Connection,
  options: { acked?: number; turnId?: string; turnStarted?: boolean } = {},
): void {
  const { acked = 0, ...turn } = options;
  connection.send({ type: "assign", sessionId: "s1", epoch: 1, agent: "demo", ...turn }, { type: "ack", seq: acked });
}

function prompt(connection: Connection, turnId: string, words = "hello"): void {
  connection.send({ type: "prompt", turnId, userId: "ada", text: words });
}

function typesOf(connection: Connection): string[] {
  return connection.events().map(({ event }) => event.type);
}

async function heldEvents(path: string, count: number): Promise<void> {
  await eventually(() => loadOutbox(path).entries.length).toBe(count);
}

describe("one connection", () => {
  test("RUN2 RUN3 a turn arrives as numbered events of the epoch, from create to finalize", async () => {
    const { worker, agent } = await startRig();
    const connection = await worker.next();
    expect(connection.path).toBe("/api/runner/sessions/s1?epoch=1");
    expect(connection.headers.authorization).toBe("Bearer runner-token");
    assign(connection);
    prompt(connection, "t1");
    const script = await agent.turn(0);
    await script.push(text("hi"));
    script.end();
    await connection.untilFinalize("t1");
    expect(typesOf(connection)).toEqual([
      "message.create",
      "agentStatus",
      "agentStatus",
      "message.part.text-delta",
      "agentStatus",
      "message.finalize",
    ]);
    expect(connection.events().map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5, 6]);
    expect(connection.frames().every((frame) => frame.epoch === 1)).toBe(true);
  });

  test("RUN3 events are on disk when they are sent, and gone when all are acknowledged", async () => {
    const { worker, agent, outboxPath } = await startRig();
    const connection = await worker.next();
    assign(connection);
    prompt(connection, "t1");
    (await agent.turn(0)).end();
    await connection.untilFinalize("t1");
    const sent = connection.events();
    expect(loadOutbox(outboxPath).entries.map(({ seq }) => seq)).toEqual(sent.map(({ seq }) => seq));
    connection.send({ type: "ack", seq: sent.length });
    await heldEvents(outboxPath, 0);
    expect(loadOutbox(outboxPath)).toMatchObject({ epoch: 1, next: sent.length + 1 });
  });

  test("RUN4 what the session wants again is sent again from there", async () => {
    const { worker, agent } = await startRig();
    const connection = await worker.next();
    assign(connection);
    prompt(connection, "t1");
    (await agent.turn(0)).end();
    await connection.untilFinalize("t1");
    const before = connection.events().length;
    connection.send({ type: "ack", seq: 2, resend: true });
    await connection.until(() => connection.events().length > before);
    const again = connection.events().slice(before);
    expect(again.map(({ seq }) => seq)).toEqual([3, 4]);
  });

  test("TURN6 abort reaches the agent, and the turn ends as canceled", async () => {
    const { worker, agent } = await startRig();
    const connection = await worker.next();
    assign(connection);
    prompt(connection, "t1");
    await agent.turn(0);
    connection.send({ type: "abort", turnId: "t1" });
    await connection.untilFinalize("t1");
    expect(connection.finalizeOf("t1")?.reason).toBe("canceled");
  });

  test("an answer reaches the agent", async () => {
    const { worker, agent } = await startRig();
    const connection = await worker.next();
    assign(connection);
    prompt(connection, "t1");
    const script = await agent.turn(0);
    connection.send({ type: "answer", turnId: "t1", questionId: "q1", answer: { value: "x" } });
    await eventually(() => agent.answers).toEqual([{ questionId: "q1", answer: { value: "x" } }]);
    script.end();
  });

  test("an unknown agent is a turn that says which ones there are", async () => {
    const { worker } = await startRig({ createAgent });
    const connection = await worker.next();
    connection.send({ type: "assign", sessionId: "s1", epoch: 1, agent: "nobody" }, { type: "ack", seq: 0 });
    prompt(connection, "t1");
    await connection.untilFinalize("t1");
    expect(connection.finalizeOf("t1")?.error).toBe('This host has no agent "nobody". It has: demo.');
    expect(typesOf(connection)[0]).toBe("message.create");
  });

  test("a new prompt stops the turn before it and runs after it", async () => {
    const { worker, agent } = await startRig();
    const connection = await worker.next();
    assign(connection);
    prompt(connection, "t1");
    await agent.turn(0);
    prompt(connection, "t2");
    (await agent.turn(1)).end();
    await connection.untilFinalize("t2");
    expect(connection.finalizeOf("t1")?.reason).toBe("canceled");
    expect(connection.finalizeOf("t2")?.reason).toBe("end_turn");
  });

  test("commands that cannot be read are passed over", async () => {
    const { worker, agent } = await startRig();
    const connection = await worker.next();
    connection.socket.send("{not json");
    connection.socket.send(JSON.stringify([{ type: "dance" }, 7]));
    assign(connection);
    prompt(connection, "t1");
    (await agent.turn(0)).end();
    await connection.untilFinalize("t1");
  });
});

describe("reconnecting", () => {
  test("RUN3 exactly what was not acknowledged is sent again", async () => {
    const { worker, agent } = await startRig();
    const first = await worker.next();
    assign(first);
    prompt(first, "t1");
    const script = await agent.turn(0);
    for (const word of ["a", "b", "c"]) await script.push(text(word));
    await first.until(() => first.events().length === 6);
    const sent = first.events();
    first.send({ type: "ack", seq: 4 });
    first.socket.close(1001);
    const second = await worker.next();
    assign(second, { acked: 4, turnId: "t1", turnStarted: true });
    await second.until(() => second.events().length >= 2);
    expect(second.events()).toEqual(sent.slice(4));
    script.end();
    await second.untilFinalize("t1");
    expect(second.events().map(({ seq }) => seq)).toEqual([5, 6, 7, 8]);
  });

  test("RUN3 after the runner was killed its unacknowledged events keep their numbers, and new ones follow", async () => {
    const { worker, agent, runner, outboxPath, restart } = await startRig();
    const first = await worker.next();
    assign(first);
    prompt(first, "t1");
    const script = await agent.turn(0);
    await script.push(text("a"));
    await first.until(() => first.events().length === 4);
    const sent = first.events();
    const disk = readFileSync(outboxPath, "utf8");
    await runner.stop();
    await first.untilClosed();
    writeFileSync(outboxPath, `${disk}{"epoch":1,"seq":5,"ev`);
    restart();
    const second = await worker.next();
    assign(second, { acked: 2, turnId: "t1", turnStarted: true });
    await second.untilFinalize("t1");
    expect(second.events().slice(0, 2)).toEqual(sent.slice(2));
    expect(second.events().at(-1)).toMatchObject({ seq: 5, event: { reason: "error", error: RESTARTED } });
  });

  test("RUN6 a turn that ended while the connection was down is told by what is sent again, once", async () => {
    const { worker, agent } = await startRig();
    const first = await worker.next();
    assign(first);
    prompt(first, "t1");
    (await agent.turn(0)).end();
    await first.untilFinalize("t1");
    first.socket.terminate();
    const second = await worker.next();
    assign(second, { acked: 0, turnId: "t1", turnStarted: true });
    await second.untilFinalize("t1");
    expect(second.events()).toEqual(first.events());
  });

  test("RUN6 a turn that is not known here ends with an error", async () => {
    const { worker } = await startRig();
    const connection = await worker.next();
    assign(connection, { turnId: "lost", turnStarted: true });
    await connection.untilFinalize("lost");
    expect(connection.finalizeOf("lost")).toMatchObject({ reason: "error", error: RESTARTED });
  });

  test("RUN6 a turn that assign does not name is stopped", async () => {
    const { worker, agent } = await startRig();
    const first = await worker.next();
    assign(first);
    prompt(first, "t1");
    await agent.turn(0);
    first.socket.terminate();
    const second = await worker.next();
    assign(second);
    await second.untilFinalize("t1");
    expect(second.finalizeOf("t1")?.reason).toBe("canceled");
  });

  test("RUN6 a prompt that comes twice runs once", async () => {
    const { worker, agent } = await startRig();
    const first = await worker.next();
    assign(first);
    prompt(first, "t1");
    const script = await agent.turn(0);
    first.socket.terminate();
    const second = await worker.next();
    assign(second, { turnId: "t1", turnStarted: false });
    prompt(second, "t1");
    script.end();
    await second.untilFinalize("t1");
    expect(agent.turns).toHaveLength(1);
    expect(typesOf(second).filter((type) => type === "message.create")).toHaveLength(1);
  });

  test("RUN6 a prompt that did not arrive the first time runs when it comes again", async () => {
    const { worker, agent } = await startRig();
    const connection = await worker.next();
    assign(connection, { turnId: "t1", turnStarted: false });
    prompt(connection, "t1");
    (await agent.turn(0)).end();
    await connection.untilFinalize("t1");
    expect(connection.finalizeOf("t1")?.reason).toBe("end_turn");
  });

  test("RUN7 it pings, and leaves a connection on which nothing comes back", async () => {
    const clock = new ManualClock();
    const { worker, agent } = await startRig({ clock });
    const first = await worker.next();
    assign(first);
    prompt(first, "t1");
    await agent.turn(0);
    clock.advance(TIMES.heartbeatMs);
    await first.until(() => first.received.length > 1);
    expect(first.received.at(-1)).toEqual({ type: "ping" });
    clock.advance(2.5 * TIMES.heartbeatMs);
    await first.untilClosed();
    await eventually(() => advanceUntilNext(clock, worker)).toBe(2);
  });
});

test("RUN4 a session that acknowledges nothing between two heartbeats is sent everything again", async () => {
  const clock = new ManualClock();
  const { worker, agent } = await startRig({ clock });
  const first = await worker.next();
  assign(first);
  prompt(first, "t1");
  (await agent.turn(0)).end();
  await first.untilFinalize("t1");
  clock.advance(TIMES.heartbeatMs);
  first.send({ type: "pong" });
  await first.until(() => first.received.some((item) => Object(item).type === "ping"));
  clock.advance(TIMES.heartbeatMs);
  await first.untilClosed();
  await eventually(() => advanceUntilNext(clock, worker)).toBe(2);
  const second = await worker.next();
  assign(second, { turnId: "t1", turnStarted: true });
  await second.untilFinalize("t1");
  expect(second.events()).toEqual(first.events());
});

/** Lets the time of a retry pass; says how many connections there have been. */
function advanceUntilNext(clock: ManualClock, worker: FakeWorker): number {
  clock.advance(100);
  return worker.connections.length;
}

describe("endings", () => {
  test("RUN5 refused: the turn is stopped, nothing is kept, nobody reconnects", async () => {
    const { worker, agent, outboxPath } = await startRig();
    const connection = await worker.next();
    assign(connection);
    prompt(connection, "t1");
    await agent.turn(0);
    await connection.until(() => connection.events().length > 0);
    connection.send({ type: "refused", message: "older epoch" });
    await connection.untilClosed();
    expect(agent.turns[0]?.signal.aborted).toBe(true);
    expect(loadOutbox(outboxPath).entries).toEqual([]);
    expect(worker.connections).toHaveLength(1);
  });

  test("RUN5 a lost lease leaves the agent waiting for a new one, for a while", async () => {
    const clock = new ManualClock();
    const { worker, agent, runner, ends } = await startRig({ clock });
    const first = await worker.next();
    first.socket.close(4409);
    await first.untilClosed();
    clock.advance(29_999);
    runner.open(2);
    const second = await worker.next();
    assign(second);
    prompt(second, "t1");
    (await agent.turn(0)).end();
    await second.untilFinalize("t1");
    second.socket.close(4409);
    await second.untilClosed();
    const endsAfterAWhile = () => {
      clock.advance(30_000);
      return ends;
    };
    await eventually(endsAfterAWhile).toEqual(["lease"]);
    expect(agent.disposed).toBe(true);
    expect(worker.connections).toHaveLength(2);
  });

  test("a session that is gone leaves nothing", async () => {
    const { worker, ends, outboxPath } = await startRig();
    const connection = await worker.next();
    assign(connection);
    connection.socket.close(4404);
    await eventually(() => ends).toEqual(["gone"]);
    expect(existsSync(outboxPath)).toBe(false);
    expect(worker.connections).toHaveLength(1);
  });

  test("an upgrade that is answered with not_found is final, any other answer is not", async () => {
    const { worker, ends } = await startRig();
    const connection = await worker.next();
    worker.refuseNext = [{ status: 401 }, { status: 503 }, { status: 404 }, { status: 404, code: "not_found" }];
    connection.socket.terminate();
    await eventually(() => ends).toEqual(["gone"]);
    expect(worker.refuseNext).toEqual([]);
  });

  test("release ends the agent and the connection", async () => {
    const { worker, agent, ends } = await startRig();
    const connection = await worker.next();
    assign(connection);
    prompt(connection, "t1");
    (await agent.turn(0)).end();
    await connection.untilFinalize("t1");
    connection.send({ type: "release" });
    await connection.untilClosed();
    expect(ends).toEqual(["released"]);
    expect(agent.disposed).toBe(true);
  });

  test("a stopped runner says that its turn failed before it leaves", async () => {
    const { worker, agent, runner } = await startRig();
    const connection = await worker.next();
    assign(connection);
    prompt(connection, "t1");
    await agent.turn(0);
    await runner.stop();
    await connection.untilFinalize("t1");
    expect(connection.finalizeOf("t1")).toMatchObject({ reason: "error" });
    expect(connection.finalizeOf("t1")?.error).toContain("The runner was stopped");
  });
});

describe("a new lease", () => {
  test("RUN5 counts from 1, and a turn whose events are all stored goes on", async () => {
    const { worker, agent, runner, outboxPath } = await startRig();
    const first = await worker.next();
    assign(first);
    prompt(first, "t1");
    const script = await agent.turn(0);
    await first.until(() => first.events().length === 2);
    first.send({ type: "ack", seq: 2 });
    await heldEvents(outboxPath, 0);
    runner.open(2);
    const second = await worker.next();
    expect(second.path).toBe("/api/runner/sessions/s1?epoch=2");
    assign(second, { turnId: "t1", turnStarted: true });
    await script.push(text("on"));
    script.end();
    await second.untilFinalize("t1");
    expect(second.events()[0]).toMatchObject({ seq: 1, event: { type: "agentStatus", status: "streaming" } });
    expect(second.finalizeOf("t1")?.reason).toBe("end_turn");
    expect(second.frames().every((frame) => frame.epoch === 2)).toBe(true);
  });

  test("RUN5 a turn that lost events with the older lease ends with an error", async () => {
    const { worker, agent, runner } = await startRig();
    const first = await worker.next();
    assign(first);
    prompt(first, "t1");
    await agent.turn(0);
    runner.open(2);
    const second = await worker.next();
    assign(second, { turnId: "t1", turnStarted: true });
    await second.untilFinalize("t1");
    expect(second.finalizeOf("t1")).toMatchObject({ reason: "error" });
  });
});

test("RUN8 kill -9 of the agent's process ends the turn with an error, and the next prompt works", async () => {
  const { worker } = await startRig({ createAgent });
  const connection = await worker.next();
  assign(connection);
  prompt(connection, "t1", "/crash");
  await connection.untilFinalize("t1");
  expect(connection.finalizeOf("t1")).toMatchObject({
    reason: "error",
    error: "The agent's process ended unexpectedly (signal SIGKILL).",
  });
  prompt(connection, "t2", "/stream 5000 0");
  await connection.untilFinalize("t2");
  const deltas = connection.events().filter(({ event }) => event.type === "message.part.text-delta");
  const words = deltas.filter(({ event }) => event.turnId === "t2").map(({ event }) => event.delta);
  expect(words).toEqual(Array.from({ length: 5000 }, (_, index) => `t${index} `));
});
