import { initEvent } from "@agent-ops/shared/events";
import { LIMITS } from "@agent-ops/shared/limits";
import { describe, expect, it } from "vitest";
import { historyPage, v2Page } from "../../src/durable-objects/session/hydration.ts";
import { finalize, OWNER, TestSession, text } from "../support/test-session.ts";

/** A session in which so many turns have ended, with answers of a length. */
function talk(turns: number, chars: number): TestSession {
  const session = new TestSession();
  let runner = undefined as ReturnType<TestSession["connectRunner"]> | undefined;
  for (let count = 0; count < turns; count++) {
    const turnId = session.prompt();
    runner ??= session.connectRunner();
    runner.send({ type: "message.create", turnId }, text(turnId, "x".repeat(chars)), finalize(turnId));
  }
  return session;
}

function initOf(session: TestSession) {
  return initEvent.parse(session.read().received[0]);
}

function readBack(session: TestSession, limit: number): string[] {
  const ids: string[] = [];
  for (let before: number | undefined = Number.MAX_SAFE_INTEGER; before !== undefined; ) {
    const page = v2Page(session.room, { limit, before });
    ids.unshift(...page.messages.map(({ id }) => id));
    before = page.before;
  }
  return ids;
}

describe("LOG10: pages of the history", () => {
  it("LOG10: a short one comes whole with init, a long one in part, and then page by page, each message once", () => {
    expect(initOf(talk(50, 10))).not.toHaveProperty("before");
    const session = talk(130, 10);
    const { messages, before } = initOf(session);
    expect([messages.length, before]).toEqual([LIMITS.initMessages, 161]);
    const all = readBack(session, 7);
    expect([all.length, new Set(all).size]).toEqual([260, 260]);
    expect(all.slice(-100)).toEqual(messages.map(({ id }) => id));
    const older = v2Page(session.room, { limit: 100, before: before ?? 0 });
    expect(older.messages.map(({ id }) => id)).toEqual(all.slice(60, 160));
    expect(historyPage(session.room, { limit: 100, before: before ?? 0 }).messages.map(({ id }) => id)).toEqual(
      older.messages.map(({ id }) => id),
    );
  });

  it("LOG10: long messages make a short page, but the newest comes however long it is", () => {
    const session = talk(6, LIMITS.initChars / 4);
    expect(initOf(session).messages).toHaveLength(6);
    expect(readBack(session, 200)).toHaveLength(12);
    const huge = talk(2, LIMITS.initChars * 2);
    const { messages, before } = initOf(huge);
    expect([messages.map(({ role }) => role), before]).toEqual([["assistant"], 4]);
  });

  it("LOG10: what was replaced is on no page", () => {
    const session = talk(10, 10);
    const edited = session.room.store.turns.last()?.prompt.id ?? "";
    const replaces = { messageId: edited, itself: true };
    session.room.prompt(OWNER, { id: edited, text: "better" }, { replaces });
    expect(readBack(session, 4)).toHaveLength(19);
    expect(initOf(session).messages.filter(({ id }) => id === edited)).toHaveLength(1);
  });

  it("LOG10: a page has the questions of its messages", () => {
    const session = new TestSession();
    const { turnId, runner } = session.startTurn();
    const asked = { type: "question", turnId, questionId: "q1", kind: "text", prompt: "Well?" };
    runner.send(asked);
    session.room.answer(OWNER, "q1", { value: "yes" });
    runner.send(finalize(turnId));
    expect(v2Page(session.room, { limit: 1 })).toMatchObject({
      questions: [{ questionId: "q1", resolution: { by: OWNER, answer: { value: "yes" } } }],
      before: 2,
    });
  });
});
