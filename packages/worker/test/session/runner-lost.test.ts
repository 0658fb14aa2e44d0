import { CLOSE } from "@agent-ops/shared/frames";
import { describe, expect, it } from "vitest";
import { finalize, readLog, TestSession } from "../support/test-session.ts";

function errors(session: TestSession): unknown[] {
  return readLog(session.log).flatMap((event) => (event.type === "message.finalize" ? [event.error] : []));
}

describe("POOL3: a host that is given up", () => {
  it("POOL3: ends the turn it was at with an error, and the next prompt asks for another", () => {
    const session = new TestSession();
    const { runner } = session.startTurn();
    session.room.runner.lost(session.epoch);
    expect(errors(session)).toEqual([expect.stringContaining("runner host went away")]);
    expect(runner.socket.closed?.code).toBe(CLOSE.taken);
    session.prompt();
    expect(session.leases).toHaveLength(2);
  });

  it("POOL3: and that never took the prompt makes the session ask again", () => {
    const session = new TestSession();
    session.prompt();
    session.room.runner.lost(session.epoch);
    expect([errors(session), session.leases.length]).toEqual([[], 2]);
    expect(session.connectRunner().socket.ofType("prompt")).toHaveLength(1);
  });

  it("POOL3: a word about an older lease changes nothing", () => {
    const session = new TestSession();
    session.startTurn();
    session.room.runner.lost(session.epoch - 1);
    expect([errors(session), session.leases.length]).toEqual([[], 1]);
  });

  it("POOL3: a session at rest only lets the socket go", () => {
    const session = new TestSession();
    const { turnId, runner } = session.startTurn();
    runner.send(finalize(turnId));
    session.room.runner.lost(session.epoch);
    expect([errors(session), session.leases.length]).toEqual([[undefined], 1]);
  });
});

describe("POOL6: a runner that leaves", () => {
  it("POOL6: a prompt that it did not take goes to another, under a new lease", () => {
    const session = new TestSession();
    const { turnId, runner } = session.startTurn();
    const queued = session.prompt("p2");
    runner.send(finalize(turnId));
    session.room.runner.gone(runner.socket, CLOSE.leaving);
    expect(session.leases).toHaveLength(2);
    expect(session.connectRunner().socket.ofType("prompt")).toMatchObject([{ turnId: queued }]);
  });

  it("POOL6: a turn that it took waits for it, as after any loss", () => {
    const session = new TestSession();
    const { runner } = session.startTurn();
    session.room.runner.gone(runner.socket, CLOSE.leaving);
    expect([errors(session), session.leases.length]).toEqual([[], 1]);
    session.pass(30_000);
    expect(errors(session)).toHaveLength(1);
  });
});

describe("LIFE1: a runner that was away when the session let it go", () => {
  it("LIFE1: is released when it comes back", () => {
    const session = new TestSession();
    const { turnId, runner } = session.startTurn();
    runner.send(finalize(turnId));
    runner.disconnect();
    session.pass(600_000);
    expect(session.connectRunner().socket.ofType("release")).toHaveLength(1);
  });
});
