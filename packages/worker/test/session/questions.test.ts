import { AppError } from "@agent-ops/shared/errors";
import type { UnknownEvent } from "@agent-ops/shared/events";
import { describe, expect, it } from "vitest";
import { finalize, OWNER, readLog, TestSession } from "../support/test-session.ts";

type Kind = "approval" | "choice" | "text" | "form";

function question(turnId: string, kind: Kind, more: object = {}): UnknownEvent {
  return { type: "question", turnId, questionId: `q-${kind}`, kind, prompt: "Well?", ...more };
}

const OPTIONS = [
  { value: "a", label: "A" },
  { value: "b", label: "B" },
];

function scene(kind: Kind = "approval", more: object = {}) {
  const session = new TestSession();
  const { turnId, runner } = session.startTurn();
  runner.send(question(turnId, kind, more));
  return { session, turnId, runner, questionId: `q-${kind}` };
}

function failureOf(work: () => unknown): AppError {
  try {
    work();
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
  throw new Error("It was accepted.");
}

function resolutions(session: TestSession): UnknownEvent[] {
  return readLog(session.log).filter((event) => event.type === "question.resolved");
}

describe("Q2: the first valid answer", () => {
  it("Q2: wins, reaches the runner and the log, and a later one hears who answered and how", () => {
    const { session, turnId, runner, questionId } = scene();
    session.join("bob", "collaborator");
    session.room.answer("bob", questionId, { approved: false, reason: "no time" });
    const answer = { approved: false, reason: "no time" };
    expect(runner.socket.ofType("answer")).toEqual([{ type: "answer", turnId, questionId, answer }]);
    expect(resolutions(session)).toMatchObject([{ questionId, turnId, outcome: "answered", by: "bob", answer }]);
    const late = failureOf(() => session.room.answer(OWNER, questionId, { approved: true }));
    expect(late.code).toBe("already_answered");
    expect(late.message).toContain("bob");
    expect(late.message).toContain("no time");
    expect(resolutions(session)).toHaveLength(1);
    expect(runner.socket.ofType("answer")).toHaveLength(1);
  });

  it("Q2: is remembered over a crash", () => {
    const { session, questionId } = scene();
    session.room.answer(OWNER, questionId, { approved: true });
    session.crash();
    expect(failureOf(() => session.room.answer(OWNER, questionId, { approved: true })).code).toBe("already_answered");
  });

  it("Q2: to a question that was never asked is not_found", () => {
    const { session } = scene();
    expect(failureOf(() => session.room.answer(OWNER, "q-none", { approved: true })).code).toBe("not_found");
  });
});

describe("Q3: an answer that does not fit", () => {
  it.each<{ kind: Kind; more?: object; wrong: unknown[]; right: object }>([
    {
      kind: "approval",
      wrong: [undefined, null, true, {}, { approved: "yes" }, { value: "a" }, [{ approved: true }]],
      right: { approved: true, always: true },
    },
    {
      kind: "choice",
      more: { options: OPTIONS },
      wrong: [{ value: "c" }, { value: 1 }, "a", {}],
      right: { value: "b" },
    },
    { kind: "text", wrong: [{ value: null }, { approved: true }, "text", []], right: { value: "" } },
    {
      kind: "form",
      wrong: [{ action: "maybe" }, { content: {} }, { action: "accept", content: [] }],
      right: { action: "accept", content: { name: "x" } },
    },
  ])("Q3: a $kind stays open after bad answers and takes a good one", ({ kind, more, wrong, right }) => {
    const { session, questionId } = scene(kind, more);
    for (const bad of wrong) {
      expect(failureOf(() => session.room.answer(OWNER, questionId, bad)).code).toBe("bad_answer");
    }
    expect(resolutions(session)).toEqual([]);
    expect(session.room.answer(OWNER, questionId, right)).toEqual(right);
  });
});

describe("Q1: a question", () => {
  it("Q1: is open until its turn ends, and then says so to whoever answers", () => {
    const { session, turnId, runner, questionId } = scene();
    runner.send(finalize(turnId));
    expect(resolutions(session)).toMatchObject([{ questionId, outcome: "turn-ended" }]);
    const late = failureOf(() => session.room.answer(OWNER, questionId, { approved: true }));
    expect(late.code).toBe("already_answered");
    expect(late.message).toContain("ended");
  });

  it("Q1: of a turn that is aborted or fails is closed with it, once", () => {
    const { session, questionId } = scene();
    session.room.abort(OWNER);
    session.pass(60_000);
    expect(resolutions(session)).toMatchObject([{ questionId, outcome: "turn-ended" }]);
  });

  it("Q1: expires when its time is over", () => {
    const session = new TestSession();
    const { turnId, runner } = session.startTurn();
    runner.send(question(turnId, "text", { expiresAt: session.clock.now() + 5000 }));
    session.pass(4999);
    expect(resolutions(session)).toEqual([]);
    session.pass(1);
    const late = failureOf(() => session.room.answer(OWNER, "q-text", { value: "too late" }));
    expect([late.code, late.message]).toEqual(["already_answered", expect.stringContaining("expired")]);
    expect(resolutions(session)).toMatchObject([{ questionId: "q-text", outcome: "expired" }]);
  });

  it("Q1, LOG6: open ones are part of init, resolved ones are not", () => {
    const { session, turnId, runner, questionId } = scene();
    runner.send(question(turnId, "text"));
    session.room.answer(OWNER, questionId, { approved: true });
    const [init] = session.read().received;
    expect(init).toMatchObject({ type: "init", questions: [{ questionId: "q-text" }] });
  });

  it("Q1: of a turn that is over is dropped", () => {
    const { session, turnId, runner } = scene();
    runner.send(finalize(turnId), question(turnId, "text"));
    expect(failureOf(() => session.room.answer(OWNER, "q-text", { value: "x" })).code).toBe("not_found");
  });

  it("Q1: stays open over a crash", () => {
    const { session, questionId } = scene();
    session.crash();
    expect(session.room.answer(OWNER, questionId, { approved: true })).toEqual({ approved: true });
  });
});
