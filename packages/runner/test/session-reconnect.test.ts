import { readFileSync, writeFileSync } from "node:fs";
import { FIXED_TIMES } from "@agent-ops/shared/limits";
import { describe, expect, test, vi } from "vitest";
import { eventually } from "./support/eventually.ts";
import { ManualClock } from "./support/manual-clock.ts";
import { text } from "./support/scripted-agent.ts";
import { advanceUntilNext, assign, heldEvents, prompt, startRig, typesOf } from "./support/session-rig.ts";

const RESTARTED = "The runner restarted while the agent was working. Send the prompt again.";

// Processes start slowly on a busy machine.
vi.setConfig({ testTimeout: 20_000 });

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

  test("BAD6 to a session that has forgotten what it acknowledged the turn is told as failed, and the next one works", async () => {
    const { worker, agent } = await startRig();
    const first = await worker.next();
    assign(first);
    prompt(first, "t1");
    await (await agent.turn(0)).push(text("a"));
    await first.until(() => first.events().length === 4);
    first.send({ type: "ack", seq: 4 });
    first.socket.close(1001);
    const second = await worker.next();
    assign(second, { acked: 2, turnId: "t1", turnStarted: true });
    await second.untilFinalize("t1");
    expect(second.events().map(({ seq }) => seq)).toEqual([3, 4]);
    expect(second.finalizeOf("t1")).toMatchObject({ reason: "error", error: expect.stringContaining("lost a part") });
    prompt(second, "t2");
    (await agent.turn(1)).end();
    await second.untilFinalize("t2");
    expect(second.events().map(({ seq }) => seq)).toEqual([3, 4, 5, 6, 7, 8]);
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
    await runner.leave(AbortSignal.abort());
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

  test("RUN6 a prompt that comes again after its turn ended is answered by what is sent again", async () => {
    const { worker, agent } = await startRig();
    const first = await worker.next();
    assign(first);
    prompt(first, "t1");
    (await agent.turn(0)).end();
    await first.untilFinalize("t1");
    first.socket.terminate();
    const second = await worker.next();
    assign(second, { turnId: "t1", turnStarted: false });
    prompt(second, "t1");
    prompt(second, "t2");
    (await agent.turn(1)).end();
    await second.untilFinalize("t2");
    expect(typesOf(second).filter((type) => type === "message.finalize")).toHaveLength(2);
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

  test("RUN6 a prompt of which an earlier process left events is not run again, but ended", async () => {
    const { worker, agent, outboxPath, runner, restart } = await startRig();
    const first = await worker.next();
    assign(first);
    prompt(first, "t1");
    await agent.turn(0);
    await first.until(() => first.events().length > 0);
    const disk = readFileSync(outboxPath, "utf8");
    await runner.leave(AbortSignal.abort());
    writeFileSync(outboxPath, disk);
    restart();
    const second = await worker.next();
    assign(second, { turnId: "t1", turnStarted: false });
    prompt(second, "t1");
    await second.untilFinalize("t1");
    expect(second.finalizeOf("t1")).toMatchObject({ reason: "error", error: RESTARTED });
    expect(agent.turns).toHaveLength(1);
  });

  test("RUN7 it pings, and leaves a connection on which nothing comes back", async () => {
    const clock = new ManualClock();
    const { worker, agent } = await startRig({ clock });
    const first = await worker.next();
    assign(first);
    prompt(first, "t1");
    await agent.turn(0);
    clock.advance(FIXED_TIMES.heartbeatMs);
    await first.until(() => first.received.length > 1);
    expect(first.received.at(-1)).toEqual({ type: "ping" });
    clock.advance(2.5 * FIXED_TIMES.heartbeatMs);
    await first.untilClosed();
    await eventually(() => advanceUntilNext(clock, worker)).toBe(2);
  });
});

test("RUN7 a connection on which something comes back is kept", async () => {
  const clock = new ManualClock();
  const { worker, agent } = await startRig({ clock });
  const connection = await worker.next();
  assign(connection);
  for (let beat = 0; beat < 6; beat += 1) {
    connection.send({ type: "pong" });
    prompt(connection, `t${beat}`);
    (await agent.turn(beat)).end();
    await connection.untilFinalize(`t${beat}`);
    connection.send({ type: "ack", seq: connection.events().length });
    clock.advance(FIXED_TIMES.heartbeatMs - 1);
  }
  expect(worker.connections).toHaveLength(1);
  expect(connection.socket.readyState).toBe(connection.socket.OPEN);
});

test("RUN4 a session that acknowledges nothing between two heartbeats is sent everything again", async () => {
  const clock = new ManualClock();
  const { worker, agent } = await startRig({ clock });
  const first = await worker.next();
  assign(first);
  prompt(first, "t1");
  (await agent.turn(0)).end();
  await first.untilFinalize("t1");
  clock.advance(FIXED_TIMES.heartbeatMs);
  first.send({ type: "pong" });
  await first.until(() => first.received.some((item) => Object(item).type === "ping"));
  clock.advance(FIXED_TIMES.heartbeatMs);
  await first.untilClosed();
  await eventually(() => advanceUntilNext(clock, worker)).toBe(2);
  const second = await worker.next();
  assign(second, { turnId: "t1", turnStarted: true });
  await second.untilFinalize("t1");
  expect(second.events()).toEqual(first.events());
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
