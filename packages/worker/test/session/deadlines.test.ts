import type { LogEvent } from "@agent-ops/shared/events";
import { FIXED_TIMES, TIMES } from "@agent-ops/shared/limits";
import { describe, expect, it } from "vitest";
import { finalize, numbered, OWNER, readLog, TestSession, text } from "../support/test-session.ts";

/** How the turns of a session ended, one entry an end. */
function endings(session: TestSession): { reason: unknown; error: unknown }[] {
  const ends = readLog(session.log).filter((event: LogEvent) => event.type === "message.finalize");
  return ends.map((event) => ({
    reason: "reason" in event ? event.reason : undefined,
    error: "error" in event ? event.error : undefined,
  }));
}

const tool = (turnId: string, status: string) => ({
  type: "message.part.tool-update",
  turnId,
  callId: "c1",
  toolName: "bash",
  status,
});
const asked = (turnId: string) => ({ type: "question", turnId, questionId: "q1", kind: "approval", prompt: "May I?" });

describe("TURN5: a turn without a runner", () => {
  it("TURN5: that no runner takes ends after 15 s with an error that says so", () => {
    const session = new TestSession();
    session.prompt();
    session.pass(TIMES.noRunnerMs - 1);
    expect(endings(session)).toEqual([]);
    session.pass(1);
    expect(endings(session)).toEqual([{ reason: "error", error: expect.stringContaining("runner") }]);
    session.pass(200_000);
    expect(endings(session)).toHaveLength(1);
  });

  it("TURN5: that a runner takes in the last moment goes on", () => {
    const session = new TestSession();
    session.prompt();
    session.pass(TIMES.noRunnerMs - 1);
    const runner = session.connectRunner();
    session.pass(60_000);
    expect(endings(session)).toEqual([]);
    expect(runner.socket.ofType("prompt")).toHaveLength(1);
  });

  it("TURN5: whose runner goes and stays away ends after 30 s with an error that says so", () => {
    const session = new TestSession();
    const { runner } = session.startTurn();
    session.pass(5000);
    runner.disconnect();
    session.pass(TIMES.runnerLostMs - 1);
    expect(endings(session)).toEqual([]);
    session.pass(1);
    expect(endings(session)).toEqual([{ reason: "error", error: expect.stringContaining("runner") }]);
    expect(session.room.turns.active).toBeNull();
  });

  it("TURN4, TURN6: a late alarm with several deadlines of a turn leaves the next turn alone", () => {
    const session = new TestSession();
    const { runner } = session.startTurn();
    const next = session.prompt();
    runner.disconnect();
    session.clock.advance(TIMES.runnerLostMs - 1000);
    session.room.abort(OWNER);
    session.clock.advance(TIMES.abortMs + 10_000);
    session.alarm();
    expect(endings(session)).toEqual([{ reason: "error", error: expect.stringContaining("runner") }]);
    expect(session.room.turns.activeTurnId).toBe(next);
  });

  it("BAD5: whose session was down for long waits for it a while longer", () => {
    const session = new TestSession();
    session.startTurn();
    for (let outages = 0; outages < 3; outages += 1) {
      session.clock.advance(TIMES.runnerLostMs);
      session.crash();
    }
    session.pass(TIMES.returnMs - 1);
    expect(endings(session)).toEqual([]);
    session.pass(1);
    expect(endings(session)).toHaveLength(1);
  });

  it("BAD5: that no runner could take, since its session was down, waits a while longer", () => {
    const session = new TestSession();
    session.prompt();
    session.clock.advance(TIMES.noRunnerMs);
    session.crash();
    session.pass(TIMES.returnMs - 1);
    expect(endings(session)).toEqual([]);
    session.pass(1);
    expect(endings(session)).toHaveLength(1);
  });

  it("TURN5: whose runner comes back in time goes on, however often", () => {
    const session = new TestSession();
    const { turnId, runner } = session.startTurn();
    let current = runner;
    for (let round = 0; round < 4; round++) {
      current.disconnect();
      session.pass(TIMES.runnerLostMs - 1);
      current = session.connectRunner();
      current.send(text(turnId, "back "));
    }
    current.send(finalize(turnId));
    expect(endings(session)).toEqual([{ reason: "end_turn", error: undefined }]);
  });

  it("TURN5: whose runner is lost together with the session's own process ends after 30 s too", () => {
    const session = new TestSession();
    session.startTurn();
    session.crash();
    session.pass(TIMES.runnerLostMs);
    expect(endings(session)).toEqual([{ reason: "error", error: expect.stringContaining("runner") }]);
  });

  it("TURN5: the 30 s go on over a crash", () => {
    const session = new TestSession();
    const { runner } = session.startTurn();
    runner.disconnect();
    session.pass(20_000);
    session.crash();
    session.pass(10_000);
    expect(endings(session)).toHaveLength(1);
  });

  it("TURN4, TURN5: when it has ended the next prompt starts, with a runner that is asked for anew", () => {
    const session = new TestSession();
    const { runner } = session.startTurn();
    const second = session.prompt("next");
    const before = session.leases.length;
    runner.disconnect();
    session.pass(TIMES.runnerLostMs);
    expect(session.room.turns.activeTurnId).toBe(second);
    expect(session.leases.slice(before)).toEqual([session.epoch]);
    expect(session.connectRunner().socket.ofType("prompt")).toMatchObject([{ turnId: second }]);
  });
});

describe("TURN6: abort", () => {
  it("TURN6: reaches the agent, and the agent's own ending counts", () => {
    const session = new TestSession();
    const { turnId, runner } = session.startTurn();
    session.room.abort(OWNER);
    expect(runner.socket.commands.at(-1)).toEqual({ type: "abort", turnId });
    session.pass(TIMES.abortMs - 1);
    runner.send(finalize(turnId, "canceled"));
    session.pass(60_000);
    expect(endings(session)).toEqual([{ reason: "canceled", error: undefined }]);
  });

  it("TURN6, TURN3: a silent runner's turn is canceled after 5 s, and its late word is dropped", () => {
    const session = new TestSession();
    const { turnId, runner } = session.startTurn();
    session.room.abort(OWNER, turnId);
    session.pass(TIMES.abortMs - 1);
    expect(endings(session)).toEqual([]);
    session.pass(1);
    runner.send(text(turnId, "late"), finalize(turnId));
    expect(endings(session)).toEqual([{ reason: "canceled", error: undefined }]);
  });

  it("TURN6, SSE8: waits for a runner that is away for a moment, which may have more to tell than is stored", () => {
    const session = new TestSession();
    const { turnId, runner } = session.startTurn();
    runner.send(text(turnId, "seen, not stored"));
    session.crash();
    session.room.abort(OWNER);
    expect(endings(session)).toEqual([]);
    const back = session.connectRunner();
    expect(back.socket.commands.at(-1)).toEqual({ type: "abort", turnId });
    back.send(text(turnId, "seen, not stored"), finalize(turnId, "canceled"));
    const types = readLog(session.log).map(({ type }) => type);
    expect(types.slice(-3)).toEqual(["message.part.text-delta", "message.finalize", "status"]);
  });

  it("TURN6: does not wait longer than 5 s for it", () => {
    const session = new TestSession();
    const { runner } = session.startTurn();
    runner.disconnect();
    session.room.abort(OWNER);
    session.pass(TIMES.abortMs);
    expect(endings(session)).toEqual([{ reason: "canceled", error: undefined }]);
  });

  it("TURN6: a second abort changes nothing about the 5 s", () => {
    const session = new TestSession();
    session.startTurn();
    session.room.abort(OWNER);
    session.pass(3000);
    session.room.abort(OWNER);
    session.pass(2000);
    expect(endings(session)).toHaveLength(1);
  });

  it("TURN6: the 5 s go on over a crash", () => {
    const session = new TestSession();
    session.startTurn();
    session.room.abort(OWNER);
    session.crash();
    session.pass(TIMES.abortMs);
    expect(endings(session)).toEqual([{ reason: "canceled", error: undefined }]);
  });

  it("TURN6: a turn that nobody works on is canceled at once", () => {
    const session = new TestSession();
    session.prompt();
    session.room.abort(OWNER);
    expect(endings(session)).toEqual([{ reason: "canceled", error: undefined }]);
  });
});

describe("TURN7: silence", () => {
  it("TURN7: a turn whose agent is silent for 120 s ends with an error, and its runner is told to stop", () => {
    const session = new TestSession();
    const { turnId, runner } = session.startTurn();
    session.pass(TIMES.idleMs - 1);
    expect(endings(session)).toEqual([]);
    session.pass(1);
    expect(endings(session)).toEqual([{ reason: "error", error: expect.stringContaining("120 s") }]);
    expect(runner.socket.ofType("abort")).toEqual([{ type: "abort", turnId }]);
  });

  it("TURN7: each sign of life gives it 120 s more, to the millisecond", () => {
    const session = new TestSession();
    const { turnId, runner } = session.startTurn();
    for (let round = 0; round < 3; round++) {
      session.pass(TIMES.idleMs - 1);
      runner.send(...numbered(turnId, 1, round));
    }
    session.pass(TIMES.idleMs - 1);
    expect(endings(session)).toEqual([]);
    session.pass(1);
    expect(endings(session)).toHaveLength(1);
  });

  it.each([
    { status: "running", ends: 0 },
    { status: "completed", ends: 1 },
  ])("RUN7: pings count while a tool works, and not otherwise (tool $status)", ({ status, ends }) => {
    const session = new TestSession();
    const { turnId, runner } = session.startTurn();
    runner.send(tool(turnId, "running"), tool(turnId, status));
    for (let at = 0; at < 3 * TIMES.idleMs; at += FIXED_TIMES.heartbeatMs) {
      session.pass(FIXED_TIMES.heartbeatMs);
      runner.ping();
    }
    expect(endings(session)).toHaveLength(ends);
    expect(runner.socket.ofType("pong")).toHaveLength((3 * TIMES.idleMs) / FIXED_TIMES.heartbeatMs);
  });

  it("TURN7: an open question stops the clock; after the answer there are 120 s again", () => {
    const session = new TestSession();
    const { turnId, runner } = session.startTurn();
    runner.send(asked(turnId));
    session.pass(10 * TIMES.idleMs + 7);
    expect(endings(session)).toEqual([]);
    session.room.answer(OWNER, "q1", { approved: true });
    session.pass(TIMES.idleMs - 1);
    expect(endings(session)).toEqual([]);
    session.pass(TIMES.idleMs);
    expect(endings(session)).toHaveLength(1);
  });

  it("TURN7: a turn that goes on after a crash gets its 120 s, and no more than that", () => {
    const session = new TestSession();
    session.startTurn();
    session.pass(100_000);
    session.crash();
    session.connectRunner();
    session.pass(TIMES.idleMs - 1);
    expect(endings(session)).toEqual([]);
    session.pass(1);
    expect(endings(session)).toHaveLength(1);
  });

  it("TURN7: a turn that has ended leaves no alarm that matters to the next one", () => {
    const session = new TestSession();
    const { turnId, runner } = session.startTurn();
    session.pass(100_000);
    runner.send(finalize(turnId));
    session.pass(15_000);
    const second = session.prompt("again");
    session.pass(TIMES.idleMs - 1);
    expect(session.room.turns.activeTurnId).toBe(second);
    session.pass(1);
    expect(endings(session)).toHaveLength(2);
  });

  it("TURN7: a clock that jumps back only delays, an alarm that comes early does nothing", () => {
    const session = new TestSession();
    const { turnId } = session.startTurn();
    session.alarm();
    session.clock.advance(-50_000);
    session.alarm();
    expect(session.room.turns.activeTurnId).toBe(turnId);
    session.pass(50_000 + TIMES.idleMs);
    expect(endings(session)).toHaveLength(1);
  });
});
