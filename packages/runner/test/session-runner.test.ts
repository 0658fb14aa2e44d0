import { existsSync } from "node:fs";
import { describe, expect, test, vi } from "vitest";
import { readAgentsFile } from "../src/agents/agents-file.ts";
import { agentRegistry } from "../src/agents/registry.ts";
import { loadOutbox } from "../src/outbox-file.ts";
import { eventually } from "./support/eventually.ts";
import { ManualClock } from "./support/manual-clock.ts";
import { text } from "./support/scripted-agent.ts";
import { assign, heldEvents, prompt, startRig, typesOf } from "./support/session-rig.ts";
import { testHost } from "./support/test-host.ts";

// Processes start slowly on a busy machine.
vi.setConfig({ testTimeout: 20_000 });

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

  test("BAD3 that a turn has begun is on disk before the agent is given its prompt", async () => {
    // On this clock what gathers after the end of a turn would wait for ever.
    const { worker, agent, outboxPath } = await startRig({ clock: new ManualClock() });
    const connection = await worker.next();
    assign(connection);
    prompt(connection, "t1");
    (await agent.turn(0)).end();
    await connection.untilFinalize("t1");
    prompt(connection, "t2");
    await agent.turn(1);
    const held = loadOutbox(outboxPath).entries.map(({ type, turnId }) => `${type} ${turnId}`);
    expect(held).toContain("message.create t2");
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
    const { worker } = await startRig({ createAgent: agentRegistry(readAgentsFile(undefined), testHost).create });
    const connection = await worker.next();
    connection.send({ type: "assign", sessionId: "s1", epoch: 1, agent: "nobody" }, { type: "ack", seq: 0 });
    prompt(connection, "t1");
    await connection.untilFinalize("t1");
    expect(connection.finalizeOf("t1")?.error).toBe('This host has no agent "nobody". It has: demo, opencode.');
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
    await runner.leave(AbortSignal.abort());
    await connection.untilFinalize("t1");
    expect(connection.finalizeOf("t1")).toMatchObject({ reason: "error" });
    expect(connection.finalizeOf("t1")?.error).toContain("The runner was stopped");
  });
});

test("RUN8 kill -9 of the agent's process ends the turn with an error, and the next prompt works", async () => {
  const { worker } = await startRig({ createAgent: agentRegistry(readAgentsFile(undefined), testHost).create });
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
