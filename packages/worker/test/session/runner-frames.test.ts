import { describe, expect, it } from "vitest";
import { expectNoGaps, payloadOf } from "../support/fake-sockets.ts";
import { finalize, numbered, OWNER, readLog, type TestRunner, TestSession, text } from "../support/test-session.ts";

function deltas(session: TestSession): string[] {
  return readLog(session.log).flatMap((event) => ("delta" in event ? [String(event.delta)] : []));
}

function typesOf(runner: TestRunner): string[] {
  return runner.socket.commands.map((command) => command.type);
}

describe("frames of a runner", () => {
  it("RUN4: numbers that the session has are dropped, whole frames or the beginning of one", () => {
    const session = new TestSession();
    const { turnId, runner } = session.startTurn();
    runner.frame(2, numbered(turnId, 3));
    runner.frame(2, numbered(turnId, 3));
    runner.frame(3, numbered(turnId, 4, 1));
    runner.frame(1, [{ type: "message.create", turnId }]);
    expect(deltas(session)).toEqual(["t0 ", "t1 ", "t2 ", "t3 ", "t4 "]);
  });

  it("RUN4: a gap is refused whole with an ack that asks for what is missing, and filled by sending again", () => {
    const session = new TestSession();
    const { turnId, runner } = session.startTurn();
    session.pass(250);
    runner.frame(4, numbered(turnId, 2, 2));
    expect(runner.socket.commands.at(-1)).toEqual({ type: "ack", seq: 1, resend: true });
    expect(deltas(session)).toEqual([]);
    runner.frame(2, numbered(turnId, 4));
    expect(deltas(session)).toEqual(["t0 ", "t1 ", "t2 ", "t3 "]);
  });

  it("RUN4: with a gap the runner is asked to send from what is stored, not from what was received", () => {
    const session = new TestSession();
    const { turnId, runner } = session.startTurn();
    session.pass(250);
    runner.frame(2, numbered(turnId, 2));
    runner.frame(9, numbered(turnId, 1, 7));
    expect(runner.socket.commands.at(-1)).toEqual({ type: "ack", seq: 1, resend: true });
    runner.frame(2, numbered(turnId, 8));
    expect(deltas(session)).toEqual(["t0 ", "t1 ", "t2 ", "t3 ", "t4 ", "t5 ", "t6 ", "t7 "]);
  });

  it("RUN5: a frame of another epoch is refused and nothing of it is stored", () => {
    const session = new TestSession();
    const { turnId, runner } = session.startTurn();
    const before = session.log.lastSeq;
    for (const epoch of [session.epoch - 1, session.epoch + 1]) {
      runner.frame(2, numbered(turnId, 1), epoch);
      expect(runner.socket.commands.at(-1)?.type).toBe("refused");
    }
    expect(session.log.lastSeq).toBe(before);
  });

  it("RUN5: a socket under an older lease is refused and closed, and can say nothing", () => {
    const session = new TestSession();
    const { turnId, runner } = session.startTurn();
    const stale = session.connectRunner(session.epoch - 1);
    expect(typesOf(stale)).toEqual(["refused"]);
    expect(stale.socket.closed?.code).toBe(4409);
    stale.frame(2, numbered(turnId, 1));
    runner.send(text(turnId, "mine"));
    expect(deltas(session)).toEqual(["mine"]);
  });

  it("RUN2: a second socket under the same lease replaces the first, whose end then means nothing", () => {
    const session = new TestSession();
    const { turnId, runner } = session.startTurn();
    session.pass(250);
    const second = session.connectRunner();
    expect(runner.socket.closed).toBeDefined();
    runner.disconnect();
    session.pass(60_000);
    second.send(text(turnId, "still here"));
    expect(session.room.turns.activeTurnId).toBe(turnId);
    expect(deltas(session)).toEqual(["still here"]);
  });

  it("EV3: an event of an unknown type is stored and passed on as it came", () => {
    const session = new TestSession();
    const { runner } = session.startTurn();
    const reader = session.read();
    const mystery = { type: "mystery", nested: { list: [1, null, "\ud800"] }, turnId: 7, seq: 99, ts: 1, empty: {} };
    runner.send(mystery);
    session.pass(5);
    const logged = readLog(session.log);
    expectNoGaps(logged);
    const { seq: _seq, ts: _ts, ...rest } = mystery;
    expect(logged.at(-1)).toMatchObject(rest);
    expect(reader.events).toEqual(logged.slice(-1));
  });

  it("EV4: a known type with a wrong shape is refused with an error; its neighbours are taken", () => {
    const session = new TestSession();
    const { turnId, runner } = session.startTurn();
    const wrong = { type: "message.part.text-delta", turnId, delta: 5 };
    runner.send(text(turnId, "a"), wrong, text(turnId, "b"));
    expect(runner.socket.ofType("error")).toHaveLength(1);
    expect(runner.socket.closed).toBeUndefined();
    expect(deltas(session)).toEqual(["a", "b"]);
    session.pass(250);
    expect(runner.socket.acknowledged).toBe(4);
  });

  const noFrames = [
    undefined,
    null,
    7,
    "x",
    [],
    {},
    { epoch: 1, seq: 0, events: [] },
    { epoch: 1, seq: 1, events: [{}] },
  ];
  it.each(noFrames.map((frame) => ({ frame })))(
    "EV4: a frame that is none ($frame) is told so and changes nothing",
    ({ frame }) => {
      const session = new TestSession();
      const { runner } = session.startTurn();
      const before = session.log.lastSeq;
      runner.raw(frame);
      expect(runner.socket.commands.at(-1)?.type).toBe("error");
      expect(session.log.lastSeq).toBe(before);
    },
  );

  it("TURN3: what a runner says of a turn that is over is dropped and still acknowledged", () => {
    const session = new TestSession();
    const { turnId, runner } = session.startTurn();
    runner.send(finalize(turnId));
    const before = readLog(session.log).length;
    runner.send(text(turnId, "late"), finalize(turnId, "error"), { type: "complete", turnId });
    session.pass(250);
    expect(readLog(session.log)).toHaveLength(before);
    expect(runner.socket.acknowledged).toBe(5);
  });

  it("TURN8: complete without a finalize ends the turn as end_turn, and the log says which turn", () => {
    const session = new TestSession();
    const { turnId, runner } = session.startTurn();
    runner.send({ type: "complete" });
    expect(session.room.turns.active).toBeNull();
    const logged = readLog(session.log).find((event) => event.type === "complete");
    expect(logged && payloadOf(logged)).toEqual({ type: "complete", turnId });
    expect(session.messages.at(-1)?.parts).toEqual([{ type: "finish", reason: "end_turn" }]);
  });
});

describe("RUN6: what a runner is told when it connects", () => {
  it("RUN6: nothing runs: the assignment and what is stored", () => {
    const session = new TestSession();
    const { turnId, runner } = session.startTurn();
    runner.send(finalize(turnId));
    const again = session.connectRunner();
    expect(typesOf(again)).toEqual(["assign", "ack"]);
    expect(again.socket.ofType("assign")[0]).not.toHaveProperty("turnId");
    expect(again.socket.acknowledged).toBe(2);
  });

  it("RUN6: a turn that was never heard of: its prompt follows", () => {
    const session = new TestSession();
    const turnId = session.prompt("do it");
    const runner = session.connectRunner();
    expect(typesOf(runner)).toEqual(["assign", "ack", "prompt"]);
    expect(runner.socket.ofType("assign")[0]).toMatchObject({ turnId, turnStarted: false, epoch: session.epoch });
    expect(runner.socket.ofType("prompt")[0]).toMatchObject({ turnId, text: "do it", userId: OWNER });
  });

  it("RUN6: a turn that has begun: no prompt, before and after a crash", () => {
    const session = new TestSession();
    const { turnId } = session.startTurn();
    session.pass(250);
    for (const crash of [false, true]) {
      if (crash) session.crash();
      const runner = session.connectRunner();
      expect(typesOf(runner)).toEqual(["assign", "ack"]);
      expect(runner.socket.ofType("assign")[0]).toMatchObject({ turnId, turnStarted: true });
    }
  });

  it("RUN6: answers given meanwhile, then the wish to stop", () => {
    const session = new TestSession();
    const { turnId, runner } = session.startTurn();
    runner.send({ type: "question", turnId, questionId: "q1", kind: "approval", prompt: "May I?" });
    runner.send({ type: "question", turnId, questionId: "q2", kind: "text", prompt: "What?" });
    session.room.answer(OWNER, "q1", { approved: true });
    session.room.abort(OWNER);
    session.crash();
    const again = session.connectRunner();
    expect(typesOf(again)).toEqual(["assign", "ack", "answer", "abort"]);
    expect(again.socket.ofType("answer")[0]).toMatchObject({ questionId: "q1", answer: { approved: true } });
  });

  it.each([false, true])(
    "RUN6: a turn that was aborted before it was heard of has not started (crash: %s)",
    (crash) => {
      const session = new TestSession();
      const turnId = session.prompt();
      session.connectRunner();
      session.room.abort(OWNER);
      if (crash) session.crash();
      const again = session.connectRunner();
      expect(again.socket.ofType("assign")[0]).toMatchObject({ turnId, turnStarted: false });
      expect(typesOf(again).at(-1)).toBe("abort");
    },
  );
});
