import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { expectNoGaps, payloadOf } from "../support/fake-sockets.ts";
import { ModelRunner } from "../support/model-runner.ts";
import { finalize, OWNER, readLog, TestSession, text } from "../support/test-session.ts";

const OWN_TYPES = new Set(["message", "status", "audit_log", "queue.state", "question.resolved"]);

/** Runs one tick as the platform does: what it wrote is there as a whole or not at all. False where the disk was full. */
function tick(session: TestSession, work: () => void): boolean {
  try {
    session.storage.transaction(work);
    return true;
  } catch {
    return false;
  }
}

function fillDisk(session: TestSession, afterWrites: number): void {
  let left = afterWrites;
  session.storage.onWrite = () => {
    if (left-- <= 0) throw new Error("database or disk is full");
  };
}

describe("a disk that is full", () => {
  it("LOG3: a prompt that could not be stored was never accepted, and works when there is room again", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 25 }), (writes) => {
        const session = new TestSession();
        fillDisk(session, writes);
        const accepted = tick(session, () => session.room.prompt(OWNER, { id: "p1", text: "go" }));
        session.crash();
        expect(session.room.turns.active !== null).toBe(accepted);
        const turnId = session.prompt("go", "p1");
        expect(session.room.turns.activeTurnId).toBe(turnId);
        expect(readLog(session.log).filter((event) => event.type === "message")).toHaveLength(1);
      }),
      { numRuns: 30 },
    );
  });

  it("LOG4: nothing that was acknowledged is lost, and the rest comes again", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 20 }), fc.integer({ min: 1, max: 5 }), (writes, batch) => {
        const session = new TestSession();
        const turnId = session.prompt();
        const runner = new ModelRunner(session);
        runner.say({ type: "message.create", turnId });
        for (let number = 0; number < 12; number++) runner.say(text(turnId, `t${number} `));
        runner.say({ type: "question", turnId, questionId: "q1", kind: "text", prompt: "?" }, finalize(turnId));
        runner.connect();
        fillDisk(session, writes);
        while (runner.unsent > 0) {
          const fine = tick(session, () => runner.deliver(batch)) && tick(session, () => session.pass(100));
          if (fine) continue;
          runner.lose();
          session.crash();
          runner.connect();
        }
        fillDisk(session, Number.POSITIVE_INFINITY);
        session.pass(1000);
        const log = readLog(session.log);
        expectNoGaps(log);
        expect(log.filter((event) => !OWN_TYPES.has(event.type)).map(payloadOf)).toEqual(runner.said);
      }),
      { numRuns: 60 },
    );
  });

  it("LOG3: the room says that it can no longer be trusted", () => {
    const session = new TestSession();
    fillDisk(session, 0);
    tick(session, () => session.prompt());
    expect(session.crashes).toHaveLength(1);
  });
});
