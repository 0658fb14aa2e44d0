import { TIMES } from "@agent-ops/shared/limits";
import { describe, expect, it } from "vitest";
import { finalize, OWNER, TestSession } from "../support/test-session.ts";

describe("LIFE2: a session that was terminated", () => {
  it("LIFE2: while a turn runs stays so for ever", () => {
    const session = new TestSession();
    session.startTurn();
    session.room.terminate(OWNER);
    session.pass(TIMES.hibernateMs + 1);
    expect(session.room.record.status).toBe("terminated");
    session.crash();
    session.pass(TIMES.hibernateMs + 1);
    expect(session.room.record.status).toBe("terminated");
    expect(() => session.prompt()).toThrow("terminated");
  });

  it("LIFE2: while it rests stays so for ever", () => {
    const session = new TestSession();
    const { turnId, runner } = session.startTurn();
    runner.send(finalize(turnId));
    session.room.terminate(OWNER);
    session.pass(TIMES.hibernateMs + 1);
    expect(session.room.record.status).toBe("terminated");
  });
});
