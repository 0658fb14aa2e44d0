import { describe, expect, it } from "vitest";
import { finalize, numbered, readLog, TestSession } from "../support/test-session.ts";

/** A session that showed three events which the store never got. */
function lostThree() {
  const session = new TestSession();
  const { turnId, runner } = session.startTurn();
  session.pass(250);
  const { generation } = session.room.journal;
  const stored = session.log.storedSeq;
  runner.send(...numbered(turnId, 3));
  const shown = session.log.lastSeq;
  session.crash();
  return { session, turnId, generation, stored, shown };
}

describe("LOG6: where a reader begins", () => {
  it("LOG6: without since it gets init, and what comes after it", () => {
    const session = new TestSession();
    const { turnId, runner } = session.startTurn();
    runner.send(...numbered(turnId, 2));
    const reader = session.read();
    const [init, ...rest] = reader.received;
    expect(init).toMatchObject({ type: "init", seq: session.log.lastSeq, activeTurnId: turnId });
    expect(rest).toEqual([]);
    runner.send(...numbered(turnId, 2, 2));
    session.pass(5);
    expect(reader.seqs).toEqual([session.log.lastSeq - 1, session.log.lastSeq]);
  });

  it("LOG6, LOG1: with since it gets hello and exactly what it missed, from every seq", () => {
    const session = new TestSession();
    const { turnId, runner } = session.startTurn();
    session.pass(250);
    runner.send(...numbered(turnId, 3));
    const log = readLog(session.log);
    for (let since = 0; since <= log.length; since++) {
      const reader = session.read({ since });
      expect(reader.received[0]).toMatchObject({ type: "hello", seq: since });
      expect(reader.events).toEqual(log.slice(since));
    }
  });

  it("LOG6: events that are gathered but not yet written reach old and new readers once", () => {
    const session = new TestSession();
    const { turnId, runner } = session.startTurn();
    const early = session.read({ since: 0 });
    for (let index = 0; index < 4; index++) runner.send(...numbered(turnId, 1, index));
    const late = session.read({ since: 0 });
    session.pass(250);
    expect(early.events).toEqual(readLog(session.log));
    expect(late.events).toEqual(readLog(session.log));
  });
});

describe("LOG5: generations", () => {
  it("LOG5: a reader that saw what was never stored is sent back to what was", () => {
    const { session, generation, stored, shown } = lostThree();
    const reader = session.read({ since: shown, generation });
    expect(reader.received[0]).toMatchObject({ type: "rewind", seq: stored, generation: generation + 1 });
    expect(reader.events).toEqual(readLog(session.log, stored));
  });

  it("LOG5: it is sent back also when the log has grown past its seq with other events meanwhile", () => {
    const { session, turnId, generation, stored, shown } = lostThree();
    session.connectRunner().send(...numbered(turnId, 10, 50), finalize(turnId));
    expect(session.log.storedSeq).toBeGreaterThan(shown);
    const reader = session.read({ since: shown, generation });
    expect(reader.received[0]).toMatchObject({ type: "rewind", seq: stored });
    expect(reader.events).toEqual(readLog(session.log, stored));
  });

  it("LOG5: a reader that saw only what was stored just goes on, before the new generation wrote anything", () => {
    const { session, generation, stored } = lostThree();
    const reader = session.read({ since: stored, generation });
    expect(reader.received).toMatchObject([{ type: "hello", seq: stored, generation: generation + 1 }]);
  });

  it("LOG5: and after it wrote something", () => {
    const { session, turnId, generation, stored } = lostThree();
    session.connectRunner().send(...numbered(turnId, 3));
    const reader = session.read({ since: stored, generation });
    expect(reader.received[0]).toMatchObject({ type: "hello", seq: stored });
    expect(reader.events).toEqual(readLog(session.log, stored));
  });

  it("LOG5: a reader of an idle session that restarted is not sent back", () => {
    const session = new TestSession();
    session.prompt();
    const { generation } = session.room.journal;
    const since = session.log.lastSeq;
    for (let restarts = 0; restarts < 3; restarts++) {
      session.crash();
      expect(session.read({ since, generation }).received[0]).toMatchObject({ type: "hello", seq: since });
    }
  });

  it("LOG5: a reader that slept through several generations is sent back to the first loss", () => {
    const { session, turnId, generation, stored, shown } = lostThree();
    for (let round = 0; round < 3; round++) {
      const runner = session.connectRunner();
      runner.send(...numbered(turnId, 2));
      session.pass(250);
      runner.send(...numbered(turnId, 2));
      session.crash();
    }
    const reader = session.read({ since: shown, generation });
    expect(reader.received[0]).toMatchObject({ type: "rewind", seq: stored });
    expect(reader.events).toEqual(readLog(session.log, stored));
  });

  it("LOG5: a reader of a generation that nobody remembers gets init", () => {
    const { session, turnId, generation, shown } = lostThree();
    for (let round = 0; round < 70; round++) {
      session.connectRunner().send(...numbered(turnId, 1));
      session.pass(250);
      session.crash();
    }
    const reader = session.read({ since: shown, generation });
    expect(reader.received).toMatchObject([{ type: "init", seq: session.log.lastSeq }]);
  });

  it("LOG5, LOG9: one that would go back to what the log no longer has gets init", () => {
    const { session, turnId, generation, stored, shown } = lostThree();
    session.connectRunner().send(...numbered(turnId, 10), finalize(turnId));
    session.log.dropBefore(stored + 2);
    expect(session.log.firstSeq).toBeGreaterThan(stored + 1);
    const since = Math.max(shown, session.log.firstSeq);
    const reader = session.read({ since, generation });
    expect(reader.received).toMatchObject([{ type: "init", seq: session.log.lastSeq }]);
  });

  it("LOG5: a since beyond the log is sent back to its end, with and without a generation", () => {
    const session = new TestSession();
    session.prompt();
    const end = session.log.lastSeq;
    const { generation } = session.room.journal;
    for (const cursor of [{ since: end + 5 }, { since: end + 5, generation }]) {
      expect(session.read(cursor).received).toMatchObject([{ type: "rewind", seq: end }]);
    }
  });

  it("LOG5: each life of the actor that shows something is a generation of its own", () => {
    const session = new TestSession();
    const { turnId } = session.startTurn();
    const seen = [session.room.journal.generation];
    for (let round = 0; round < 3; round++) {
      session.crash();
      seen.push(session.room.journal.generation);
      session.connectRunner().send(...numbered(turnId, 1));
    }
    expect(new Set(seen).size).toBe(seen.length);
    expect(seen).toEqual(seen.toSorted((a, b) => a - b));
  });
});
