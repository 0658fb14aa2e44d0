import { initEvent } from "@agent-ops/shared/events";
import type { Role } from "@agent-ops/shared/sessions";
import { describe, expect, it } from "vitest";
import { onClientFrame } from "../../src/durable-objects/session/client-commands.ts";
import type { FakeReaderSocket } from "../support/fake-sockets.ts";
import { finalize, OWNER, readLog, TestSession } from "../support/test-session.ts";

const FOREVER = Number.POSITIVE_INFINITY;

function send(session: TestSession, socket: FakeReaderSocket, command: object, user = OWNER): void {
  onClientFrame(session.room, { socket, by: { user, expiresAt: FOREVER } }, JSON.stringify(command));
}

function initOf(session: TestSession) {
  return initEvent.parse(session.read().received[0]);
}

describe("RUN9: what people want to know of the workspace", () => {
  it("RUN9: a diff goes from whoever asks to the runner and back to them alone, and is not part of the log", () => {
    const session = new TestSession();
    const [asker, other] = [session.read(), session.read()];
    const { runner } = session.startTurn();
    send(session, asker, { type: "diff", requestId: "d1" });
    expect(runner.socket.ofType("diff")).toEqual([{ type: "diff", requestId: "d1" }]);
    const before = session.log.lastSeq;
    runner.send({ type: "diff", requestId: "d1", files: [{ path: "a.txt" }] });
    const diff = { type: "diff", requestId: "d1", files: [{ path: "a.txt" }] };
    expect(asker.received.filter(({ type }) => type === "diff")).toEqual([diff]);
    expect(other.received.filter(({ type }) => type === "diff")).toEqual([]);
    expect(session.log.lastSeq).toBe(before);
    session.pass(1000);
    session.crash();
    expect(session.room.requests.latestDiff()).toEqual(diff);
  });

  it("RUN9: a diff that nobody asked for is for everybody, and a large one is kept whole", () => {
    const session = new TestSession();
    const reader = session.read();
    const { runner } = session.startTurn();
    const files = [{ path: "big.txt", patch: "👍".repeat(300_000) }];
    runner.send({ type: "diff", requestId: "none", files });
    expect(reader.received.filter(({ type }) => type === "diff")).toHaveLength(1);
    expect(session.room.requests.latestDiff()?.files).toEqual(files);
  });

  it("RUN9: a review is for all, now and later, and is kept for the record", () => {
    const session = new TestSession();
    const { runner, turnId } = session.startTurn();
    runner.send(finalize(turnId));
    const reader = session.read();
    send(session, reader, { type: "review", requestId: "r1" });
    expect(runner.socket.ofType("review")).toEqual([{ type: "review", requestId: "r1" }]);
    const result = { type: "review-result", requestId: "r1", files: [], overallSummary: "Fine.", stats: {} };
    runner.send(result);
    expect(reader.events.filter(({ type }) => type === "review-result")).toMatchObject([result]);
    expect(initOf(session).review).toEqual(result);
    expect(initOf(session).audit.at(-1)).toMatchObject({ action: "review", userId: OWNER });
  });

  it.each<[Role, string[]]>([
    ["viewer", ["forbidden"]],
    ["collaborator", []],
  ])("ACL6: a %s may look at a diff; a review is work for the agent", (role, codes) => {
    const session = new TestSession();
    session.join("bob", role);
    const reader = session.read({}, "bob");
    session.startTurn();
    send(session, reader, { type: "diff", requestId: "d1" }, "bob");
    send(session, reader, { type: "review", requestId: "r1" }, "bob");
    expect(reader.errors).toEqual(codes);
  });

  it("RUN9: where no runner is, whoever asks is told so", () => {
    const session = new TestSession();
    const reader = session.read();
    send(session, reader, { type: "diff", requestId: "d1" });
    expect(reader.errors).toEqual(["no_runner"]);
  });

  it("LOG6: the latest git state and models are part of init, also after a crash", () => {
    const session = new TestSession();
    const { runner } = session.startTurn();
    expect(initOf(session)).not.toHaveProperty("gitState");
    const state = { type: "git-state", branch: "main", commitCount: 2, dirty: true };
    runner.send({ ...state, branch: "old" }, state, state, { type: "models", models: [{ id: "m1" }] });
    const commands = { type: "commands", commands: [{ name: "plan", description: "Thinks first", hint: "[topic]" }] };
    runner.send(commands, commands);
    session.crash();
    expect(initOf(session)).toMatchObject({ gitState: state, models: { models: [{ id: "m1" }] }, commands });
    expect(readLog(session.log).filter(({ type }) => type === "commands")).toHaveLength(1);
    expect(readLog(session.log).filter(({ type }) => type === "git-state")).toHaveLength(2);
  });
});

describe("LIFE5: the title", () => {
  it("LIFE5: is the agent's to choose until a person does", () => {
    const session = new TestSession();
    const { runner } = session.startTurn();
    runner.send(
      { type: "title", title: " First \n" },
      { type: "title", title: "Second" },
      { type: "title", title: " " },
    );
    expect(session.room.record.title).toBe("Second");
    session.room.rename(OWNER, "Mine");
    runner.send({ type: "title", title: "Third" });
    session.crash();
    session.connectRunner().send({ type: "title", title: "Fourth" });
    expect(session.room.record.title).toBe("Mine");
    const titles = readLog(session.log).flatMap((event) => (event.type === "title" ? [event.title] : []));
    expect(titles).toEqual(["First", "Second", "Mine"]);
  });

  it("LIFE5: is cut to its length and never in the middle of a character", () => {
    const session = new TestSession();
    const { runner } = session.startTurn();
    runner.send({ type: "title", title: `${"x".repeat(199)}👍` });
    const { title } = session.room.record;
    expect([title.length, title.isWellFormed()]).toEqual([200, true]);
  });
});

describe("LIFE6: toasts", () => {
  const toasts = (socket: FakeReaderSocket) =>
    socket.received.flatMap((event) => (event.type === "toast" ? [event] : []));

  it("LIFE6: say that the runner of a turn went away and came back, once, and are not part of the log", () => {
    const session = new TestSession();
    const { runner } = session.startTurn();
    const reader = session.read();
    const before = session.log.lastSeq;
    runner.disconnect();
    expect(toasts(reader)).toMatchObject([{ level: "warning", message: expect.stringContaining("away") }]);
    session.connectRunner();
    expect(toasts(reader)).toMatchObject([{}, { level: "info", message: expect.stringContaining("back") }]);
    session.connectRunner();
    expect([toasts(reader).length, session.log.lastSeq]).toEqual([2, before]);
    expect(toasts(session.read())).toEqual([]);
  });

  it("LIFE6: say nothing of a runner that nobody waits for", () => {
    const session = new TestSession();
    const { runner, turnId } = session.startTurn();
    const reader = session.read();
    runner.send(finalize(turnId));
    runner.disconnect();
    session.prompt();
    session.connectRunner();
    expect(toasts(reader)).toEqual([]);
  });

  it("LIFE6: say that somebody shared the session", () => {
    const session = new TestSession();
    const reader = session.read();
    session.room.people.share(OWNER, { user: "bob", role: "viewer" });
    expect(toasts(reader)).toMatchObject([{ message: `${OWNER} shared this session with bob as viewer.` }]);
  });

  it("LIFE6, Q2: tell whoever answered elsewhere, and too late, that another was first", () => {
    const session = new TestSession();
    session.join("bob", "collaborator");
    const [anns, bobs] = [session.read(), session.read({}, "bob")];
    const { turnId, runner } = session.startTurn();
    runner.send({ type: "question", turnId, questionId: "q1", kind: "approval", prompt: "May I?" });
    session.room.answer(OWNER, "q1", { approved: false });
    expect(() => session.room.answerElsewhere("bob", "q1", { approved: true })).toThrow(OWNER);
    expect(toasts(bobs)).toMatchObject([{ level: "warning", message: expect.stringContaining(OWNER) }]);
    expect(toasts(anns)).toEqual([]);
  });
});
