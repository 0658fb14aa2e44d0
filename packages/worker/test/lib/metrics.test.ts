import { afterEach, describe, expect, it } from "vitest";
import { metrics } from "../../src/lib/metrics.ts";
import { finalize, OWNER, TestSession } from "../support/test-session.ts";

function gauge(name: string): number {
  const line = metrics
    .text()
    .split("\n")
    .find((entry) => entry.startsWith(`agent_ops_${name} `));
  return Number(line?.split(" ")[1]);
}

describe("MET1: what goes up and down", () => {
  const sessions: TestSession[] = [];
  afterEach(() => {
    for (const session of sessions.splice(0)) session.room.close();
  });

  function busySession(): { session: TestSession; turnId: string } {
    const session = new TestSession();
    sessions.push(session);
    const { turnId } = session.startTurn();
    session.prompt("second");
    session.prompt("third");
    return { session, turnId };
  }

  it("MET1: the queue counts what waits, over any number of restarts, and is never below zero", () => {
    const { session, turnId } = busySession();
    expect(gauge("queue_length")).toBe(2);
    for (let restarts = 0; restarts < 3; restarts++) session.crash();
    expect(gauge("queue_length")).toBe(2);
    const runner = session.connectRunner();
    runner.send(finalize(turnId));
    expect(gauge("queue_length")).toBe(1);
    runner.send(finalize(session.room.turns.activeTurnId ?? ""));
    expect(gauge("queue_length")).toBe(0);
    runner.send(finalize(session.room.turns.activeTurnId ?? ""));
    expect(gauge("queue_length")).toBe(0);
  });

  it("MET1: a queue that another process left counts from the moment the session is back", () => {
    const { session, turnId } = busySession();
    metrics.hold("queue.length", session.room.record.id, 0);
    session.crash();
    expect(gauge("queue_length")).toBe(2);
    session.connectRunner().send(finalize(turnId));
    expect(gauge("queue_length")).toBe(1);
  });

  it("MET1: readers of a session that starts again are counted once, and those of a deleted one not at all", () => {
    const { session } = busySession();
    const socket = session.read();
    expect(gauge("subscribers")).toBe(1);
    session.crash();
    session.room.journal.readers.add(socket, session.log.lastSeq, { user: OWNER });
    expect(gauge("subscribers")).toBe(1);
    session.room.close();
    expect([gauge("subscribers"), gauge("queue_length")]).toEqual([0, 0]);
  });
});
