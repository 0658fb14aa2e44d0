import { AppError } from "@agent-ops/shared/errors";
import { initEvent } from "@agent-ops/shared/events";
import { LIMITS, TIMES } from "@agent-ops/shared/limits";
import type { Role } from "@agent-ops/shared/sessions";
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
    expect(children(session)).toHaveLength(LIMITS.children);
    expect(children(session)?.at(-1)).toMatchObject({ childSessionId: "one more" });
    expect(children(session)?.[0]).toMatchObject({ childSessionId: "inner-1" });
  });

  it("LIM5: what an agent tells of leaves room for sessions, of which there are 200 at the most", () => {
    const session = new TestSession();
    const { runner } = session.startTurn();
    for (let count = 0; count < LIMITS.children; count++) {
      runner.send({ type: "child-session", childSessionId: `inner-${count}` });
    }
    for (let count = 0; count < LIMITS.children; count++) {
      session.room.family.adopt(OWNER, { ...CHILD, childSessionId: `ses_${count}` });
    }
    expect(codeOf(() => session.room.family.adopt(OWNER, CHILD))).toBe("too_many");
    runner.send({ type: "child-session", childSessionId: "one more" });
    expect(children(session)).toHaveLength(LIMITS.children);
    expect(children(session)?.every(({ openable }) => openable)).toBe(true);
  });

  it("LIFE4: a member of the parent is one of the child until the parent says otherwise; the child's own word counts more", () => {
    const session = new TestSession();
    const { people } = session.room;
    const roles = () => Object.fromEntries(session.room.store.members().map(({ user, role }) => [user, role]));
    const inherit = (user: string, role?: Role) =>
      people.follow({ version: 1, members: [{ user, ...(role ? { role } : {}) }] }).length > 0;
    inherit("bob", "viewer");
    inherit("bob", "collaborator");
    inherit("cleo", "owner");
    expect(roles()).toEqual({ [OWNER]: "owner", bob: "collaborator", cleo: "owner" });
    people.share(OWNER, { user: "bob", role: "viewer" });
    expect([inherit("bob"), inherit(OWNER, "viewer")]).toEqual([false, false]);
    expect(inherit("cleo")).toBe(true);
    expect(roles()).toEqual({ [OWNER]: "owner", bob: "viewer" });
  });

  it("LIFE4, ACL7: the last owner stays, whatever the parent says", () => {
    const session = new TestSession();
    const { people } = session.room;
    people.follow({ version: 1, members: [{ user: "cleo", role: "owner" }] });
    people.unshare(OWNER, OWNER);
    const members = [{ user: "cleo" }, { user: "cleo", role: "viewer" as const }];
    expect(people.follow({ version: 2, members })).toEqual([]);
    expect(session.room.roleOf("cleo")).toBe("owner");
  });
});

describe("LIFE4: what children have to hear of members", () => {
  const HOUR_MS = 3_600_000;

  function startWithChild(): TestSession {
    const session = new TestSession();
    session.room.family.adopt(OWNER, CHILD);
    session.room.people.share(OWNER, { user: "bob", role: "viewer" });
    return session;
  }

  /** Tells the child as it is told now. */
  function hear(session: TestSession): void {
    for (const [id, { version }] of session.room.news.due()) session.room.news.told(id, version);
  }

  it("LIFE4: is stored with the change and tried again until the child has said that it knows, over restarts", () => {
    const session = startWithChild();
    hear(session);
    session.pass(HOUR_MS);
    expect(session.childrenTold).toBe(0);
    session.room.people.unshare(OWNER, "bob");
    session.crash();
    session.pass(TIMES.tellAgainMs);
    expect(session.childrenTold).toBe(1);
    expect(session.room.news.due()).toEqual(
      new Map([[CHILD.childSessionId, { version: 3, members: [{ user: "bob" }] }]]),
    );
    session.pass(TIMES.tellAgainMs);
    expect(session.childrenTold).toBe(2);
    hear(session);
    session.pass(HOUR_MS);
    expect([session.childrenTold, session.room.news.due().size]).toEqual([2, 0]);
  });

  it("LIFE4: is the latest state, and a change that comes while it is told is told too", () => {
    const session = startWithChild();
    const [sent] = session.room.news.due().values();
    session.room.people.unshare(OWNER, "bob");
    session.room.news.told(CHILD.childSessionId, sent?.version ?? 0);
    expect([...session.room.news.due().values()]).toEqual([{ version: 3, members: [{ user: "bob" }] }]);
    session.room.people.share(OWNER, { user: "bob", role: "collaborator" });
    expect([...session.room.news.due().values()]).toMatchObject([{ members: [{ user: "bob", role: "collaborator" }] }]);
  });

  it("LIFE4: older news that come late do not let anybody back in", () => {
    const session = new TestSession();
    const { people, store } = session.room;
    people.follow({ version: 6, members: [{ user: "bob" }] });
    people.follow({ version: 5, members: [{ user: "bob", role: "collaborator" }] });
    expect(store.roleOf("bob")).toBe(undefined);
  });

  it("LIFE4: goes on to the children of children", () => {
    const session = startWithChild();
    hear(session);
    session.room.people.follow({ version: 1, members: [{ user: "cleo", role: "viewer" }] });
    expect([...session.room.news.due().values()]).toMatchObject([{ members: [{ user: "cleo", role: "viewer" }] }]);
  });

  it("LIFE4: a child that is gone hears nothing; one that was never made is missed after a minute", () => {
    const session = startWithChild();
    expect(session.room.news.isMissing(CHILD.childSessionId)).toBe(false);
    session.pass(60_000);
    expect(session.room.news.isMissing(CHILD.childSessionId)).toBe(true);
    session.room.family.left(CHILD.childSessionId);
    expect(session.room.news.due().size).toBe(0);
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
