import { AppError } from "@agent-ops/shared/errors";
import { initEvent, type UnknownEvent } from "@agent-ops/shared/events";
import { TIMES } from "@agent-ops/shared/limits";
import { describe, expect, it } from "vitest";
import { finalize, OWNER, readLog, TestSession } from "../support/test-session.ts";

type Kind = "approval" | "choice" | "text" | "form";

function question(turnId: string, kind: Kind, more: object = {}): UnknownEvent {
  return { type: "question", turnId, questionId: `q-${kind}`, kind, prompt: "Well?", ...more };
}

const ORDER = {
  type: "object",
  properties: {
    drink: { type: "string", enum: ["tea", "coffee"] },
    cups: { type: "integer", minimum: 1 },
    mail: { type: "string", format: "email" },
  },
  required: ["drink", "cups"],
  additionalProperties: false,
};

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
    {
      kind: "form",
      more: { schema: ORDER },
      wrong: [
        { action: "accept" },
        { action: "accept", content: {} },
        { action: "accept", content: { drink: "tea" } },
        { action: "accept", content: { drink: "water", cups: 1 } },
        { action: "accept", content: { drink: "tea", cups: 0 } },
        { action: "accept", content: { drink: "tea", cups: "two" } },
        { action: "accept", content: { drink: "tea", cups: 1, extra: true } },
        { action: "accept", content: { drink: "tea", cups: 1, mail: "nowhere" } },
      ],
      right: { action: "accept", content: { drink: "tea", cups: 2, mail: "ann@example.org" } },
    },
    { kind: "form", more: { schema: ORDER }, wrong: [], right: { action: "decline" } },
    { kind: "form", more: { schema: ORDER }, wrong: [], right: { action: "cancel" } },
  ])("Q3: a $kind stays open after bad answers and takes a good one", ({ kind, more, wrong, right }) => {
    const { session, questionId } = scene(kind, more);
    for (const bad of wrong) {
      expect(failureOf(() => session.room.answer(OWNER, questionId, bad)).code).toBe("bad_answer");
    }
    expect(resolutions(session)).toEqual([]);
    expect(session.room.answer(OWNER, questionId, right)).toEqual(right);
  });
});

describe("Q3: a form's schema", () => {
  const problem = (schema: object, content: object) => {
    const { session, questionId } = scene("form", { schema });
    return failureOf(() => session.room.answer(OWNER, questionId, { action: "accept", content })).message;
  };

  it("Q3: says which fields are wrong, and what is wrong with them", () => {
    expect(problem(ORDER, { drink: "water", cups: "two" })).toMatch(/drink: .*"coffee".* cups: .*number/);
    expect(problem(ORDER, { cups: 1 })).toContain("drink: ");
  });

  it("Q3: changes nothing of what was answered: defaults are the agent's", () => {
    const schema = { type: "object", properties: { milk: { type: "boolean", default: true } } };
    const { session, questionId } = scene("form", { schema });
    const answer = { action: "accept" as const, content: { other: 1 } };
    expect(session.room.answer(OWNER, questionId, answer)).toEqual(answer);
  });

  const NESTED = { $defs: { a: { allOf: [{ $ref: "#/$defs/a" }, { $ref: "#/$defs/a" }] } }, $ref: "#/$defs/a" };
  it.each<[string, object]>([
    ["is not one", { type: "no such type" }],
    ["refers to itself", NESTED],
    [
      "has a pattern that takes for ever",
      { type: "object", properties: { x: { type: "string", pattern: "^(a+)+$" } } },
    ],
    ["has conditions", { if: { required: ["x"] }, else: { required: ["y"] } }],
  ])("Q3: one that %s is the agent's to check", (_what, schema) => {
    const { session, questionId } = scene("form", { schema });
    const answer = { action: "accept" as const, content: { x: `${"a".repeat(40)}!` } };
    expect(session.room.answer(OWNER, questionId, answer)).toEqual(answer);
  });
});

describe("ACL11, ACL12: what permits something", () => {
  const VISITOR = {
    user: "widget:v",
    expiresAt: Number.POSITIVE_INFINITY,
    widget: { sessionId: "ses_1", origin: "https://x.example", by: OWNER },
  };
  const MANY = [...OPTIONS, { value: "c", label: "For good", always: true }];

  it.each<[string, Kind, object, boolean]>([
    ["an approval", "approval", {}, false],
    ["a choice that permits a call", "choice", { permits: true, options: MANY }, false],
    ["a choice about a call that permits nothing", "choice", { callId: "c1", options: MANY }, true],
    ["a text", "text", {}, true],
  ])("ACL11: whether a visitor answers %s", (_what, kind, more, isTaken) => {
    const { session, questionId } = scene(kind, more);
    const knock = () => session.room.door.requireAnswerer(VISITOR, questionId);
    if (isTaken) expect(knock).not.toThrow();
    else expect(failureOf(knock).code).toBe("forbidden");
  });

  it.each<[string, object, string]>([
    ["a", { permits: true }, "answer"],
    ["c", { permits: true }, "approve-always"],
    ["c", {}, "answer"],
  ])("ACL12: the option %s of a choice with %j is audited as it is", (value, more, action) => {
    const { session, questionId } = scene("choice", { options: MANY, ...more });
    session.room.answer(OWNER, questionId, { value });
    expect(session.room.store.audit.page(1).audit).toMatchObject([{ action }]);
  });
});

describe("Q4: an agent whose question expired", () => {
  it.each<[Kind, object]>([
    ["approval", { approved: false, reason: "Nobody answered in time." }],
    ["choice", { action: "cancel" }],
    ["text", { action: "cancel" }],
    ["form", { action: "cancel" }],
  ])("Q4: is told so of a %s, also when its runner was away", (kind, answer) => {
    const session = new TestSession();
    const { turnId, runner } = session.startTurn();
    runner.send(question(turnId, kind, { expiresAt: session.clock.now() + 5000 }));
    const told = { type: "answer", turnId, questionId: `q-${kind}`, answer };
    session.pass(5000);
    expect(runner.socket.ofType("answer")).toEqual([told]);
    runner.disconnect();
    expect(session.connectRunner().socket.ofType("answer")).toEqual([told]);
  });

  it("Q4: has to go on by itself: from then on its silence counts", () => {
    const session = new TestSession();
    const { turnId, runner } = session.startTurn();
    runner.send(question(turnId, "text", { expiresAt: session.clock.now() + 300_000 }));
    session.pass(300_000 + TIMES.idleMs / 2);
    expect(session.room.turns.activeTurnId).toBe(turnId);
    session.pass(TIMES.idleMs * 2);
    expect(session.room.turns.activeTurnId).toBeUndefined();
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

  it("Q1: that has its answer, or whose turn has ended, leaves no deadline behind", () => {
    const deadlines = (session: TestSession) =>
      session.storage.all("SELECT name FROM deadlines WHERE name LIKE 'question:%'");
    const { session, turnId, runner } = scene("text", { expiresAt: Number.MAX_SAFE_INTEGER });
    runner.send(question(turnId, "form", { expiresAt: Number.MAX_SAFE_INTEGER }));
    expect(deadlines(session)).toHaveLength(2);
    session.room.answer(OWNER, "q-text", { value: "yes" });
    expect(deadlines(session)).toEqual([{ name: "question:q-form" }]);
    runner.send(finalize(turnId));
    expect(deadlines(session)).toEqual([]);
  });

  it("Q1, LOG6: those of its messages are part of init, with what became of them", () => {
    const { session, turnId, runner, questionId } = scene();
    runner.send(question(turnId, "text"));
    session.room.answer(OWNER, questionId, { approved: true });
    const answered = { questionId, resolution: { outcome: "answered", answer: { approved: true }, by: OWNER } };
    const questionsNow = () => initEvent.parse(session.read().received[0]).questions;
    expect(questionsNow()).toMatchObject([answered, { questionId: "q-text" }]);
    expect(questionsNow()[1]?.resolution).toBeUndefined();
    runner.send(finalize(turnId));
    expect(questionsNow()).toMatchObject([answered, { resolution: { outcome: "turn-ended" } }]);
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
