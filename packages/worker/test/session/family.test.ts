import { AppError } from "@agent-ops/shared/errors";
import { initEvent } from "@agent-ops/shared/events";
import { LIMITS } from "@agent-ops/shared/limits";
import { describe, expect, it } from "vitest";
import { OWNER, readLog, TestSession } from "../support/test-session.ts";

const CHILD = { childSessionId: "ses_child", title: "Tests", status: "ready" };

function children(session: TestSession) {
  return initEvent.parse(session.read().received[0]).children;
}

function codeOf(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    if (error instanceof AppError) return error.code;
    throw error;
  }
  return "done";
}

describe("LIFE4: child sessions", () => {
  it("LIFE4: one that is made from a session is listed in init and told as it changes, and when it goes", () => {
    const session = new TestSession();
    const reader = session.read();
    session.room.family.adopt(OWNER, CHILD);
    expect(children(session)).toEqual([{ ...CHILD, openable: true }]);
    session.room.family.changed({ ...CHILD, status: "running" });
    session.room.family.changed({ ...CHILD, status: "running" });
    session.crash();
    expect(children(session)).toEqual([{ ...CHILD, status: "running", openable: true }]);
    session.room.family.left(CHILD.childSessionId);
    expect(children(session)).toEqual([]);
    const told = readLog(session.log).flatMap((event) => (event.type === "child-session" ? [event.status] : []));
    expect(told).toEqual(["ready", "running", "deleted"]);
    expect(reader.events.filter(({ type }) => type === "child-session")).toHaveLength(2);
  });

  it("LIFE4: those that an agent tells of are listed too, and cannot be opened", () => {
    const session = new TestSession();
    const { runner } = session.startTurn();
    runner.send({ type: "child-session", childSessionId: "inner", title: "Look around", callId: "c1" });
    expect(readLog(session.log).at(-1)).toMatchObject({ callId: "c1", status: "running", openable: false });
    runner.send({ type: "child-session", childSessionId: "inner", status: "completed" });
    const inner = { childSessionId: "inner", title: "Look around", status: "completed", openable: false };
    expect(children(session)).toEqual([inner]);
    session.room.family.changed({ childSessionId: "inner", title: "Mine", status: "ready" });
    expect(children(session)).toEqual([inner]);
  });

  it("LIFE4: what an agent says of a session that was made from this one leaves it open to people", () => {
    const session = new TestSession();
    session.room.family.adopt(OWNER, CHILD);
    const { runner } = session.startTurn();
    runner.send({ type: "child-session", childSessionId: CHILD.childSessionId, status: "running" });
    expect(children(session)).toEqual([{ ...CHILD, status: "running", openable: true }]);
  });

  it("LIM5: there are 200 at the most", () => {
    const session = new TestSession();
    const { runner } = session.startTurn();
    for (let count = 0; count < LIMITS.children; count++) {
      runner.send({ type: "child-session", childSessionId: `inner-${count}` });
    }
    runner.send({ type: "child-session", childSessionId: "one more" });
    expect(codeOf(() => session.room.family.adopt(OWNER, CHILD))).toBe("too_many");
    expect(children(session)).toHaveLength(LIMITS.children);
  });

  it("LIFE4: a member of the parent is one of the child until the parent says otherwise; the child's own word counts more", () => {
    const session = new TestSession();
    const { people } = session.room;
    const roles = () => Object.fromEntries(session.room.store.members().map(({ user, role }) => [user, role]));
    people.inherit("bob", "viewer");
    people.inherit("bob", "collaborator");
    people.inherit("cleo", "owner");
    expect(roles()).toEqual({ [OWNER]: "owner", bob: "collaborator", cleo: "owner" });
    people.share(OWNER, { user: "bob", role: "viewer" });
    expect([people.inherit("bob", undefined), people.inherit(OWNER, "viewer")]).toEqual([false, false]);
    expect(people.inherit("cleo", undefined)).toBe(true);
    expect(roles()).toEqual({ [OWNER]: "owner", bob: "viewer" });
  });

  it("LIFE4, ACL7: the last owner stays, whatever the parent says", () => {
    const session = new TestSession();
    const { people } = session.room;
    people.inherit("cleo", "owner");
    people.unshare(OWNER, OWNER);
    expect([people.inherit("cleo", undefined), people.inherit("cleo", "viewer")]).toEqual([false, false]);
    expect(session.room.roleOf("cleo")).toBe("owner");
  });
});

describe("LIFE3: an orchestrator session", () => {
  it("LIFE3: is its owner's alone", () => {
    const session = new TestSession(undefined, { orchestrator: true });
    expect(codeOf(() => session.room.people.share(OWNER, { user: "bob", role: "viewer" }))).toBe("forbidden");
    expect(session.room.store.members()).toEqual([{ user: OWNER, role: "owner" }]);
    expect(session.room.view(OWNER)).toMatchObject({ orchestrator: true });
  });
});
