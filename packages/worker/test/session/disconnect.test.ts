import { TIMES } from "@agent-ops/shared/limits";
import { describe, expect, it } from "vitest";
import { chunksOf } from "../support/sse.ts";
import { settle } from "../support/stream-scene.ts";
import { finalize, OWNER, readLog, TestSession } from "../support/test-session.ts";

const PROMPT = { id: "p1", text: "hello" };

/** A turn that its asker reads over HTTP. */
async function scene(onDisconnect: "abort" | "detach" = "abort") {
  const session = new TestSession();
  const response = session.chat(PROMPT, { onDisconnect });
  const turnId = session.room.turns.activeTurnId ?? "";
  const runner = session.connectRunner();
  runner.send({ type: "message.create", turnId });
  await settle();
  const aborts = () => runner.socket.ofType("abort").length;
  return { session, response, turnId, runner, aborts };
}

const leave = (response: Response) => response.body?.cancel();

describe("DIS: an asker who leaves", () => {
  it("DIS1: has 3 s to come back, then the turn is aborted", async () => {
    const { session, response, aborts } = await scene();
    await leave(response);
    session.pass(TIMES.graceMs - 1);
    expect(aborts()).toBe(0);
    session.pass(1);
    expect(aborts()).toBe(1);
  });

  it("DIS1: and comes back in time finds the turn as it was, by a POST or by a resume", async () => {
    for (const way of ["post", "resume"]) {
      const { session, response, turnId, runner, aborts } = await scene();
      await leave(response);
      session.pass(TIMES.graceMs - 1);
      const again = way === "post" ? session.chat(PROMPT, { onDisconnect: "abort" }) : await session.resume();
      session.pass(10 * TIMES.graceMs);
      expect(aborts()).toBe(0);
      runner.send(finalize(turnId));
      expect(chunksOf((await again?.text()) ?? "").at(-1)?.type).toBe("finish");
    }
  });

  it("DIS1: still has another stream open, so nothing happens until that one goes too", async () => {
    const { session, response, aborts } = await scene();
    const second = session.chat(PROMPT, { onDisconnect: "abort" });
    await leave(response);
    session.pass(TIMES.graceMs);
    expect(aborts()).toBe(0);
    await leave(second);
    session.pass(TIMES.graceMs);
    expect(aborts()).toBe(1);
  });

  it("DIS1: others may come and go as they like", async () => {
    const { session, aborts } = await scene();
    session.join("bob", "viewer");
    const watching = await session.resume("chat", "bob");
    if (watching) await leave(watching);
    session.pass(TIMES.graceMs);
    expect(aborts()).toBe(0);
  });

  it("DIS2: who detached the turn may leave it alone", async () => {
    const { session, response, turnId, runner, aborts } = await scene("detach");
    await leave(response);
    session.pass(10 * TIMES.graceMs);
    expect(aborts()).toBe(0);
    runner.send(finalize(turnId));
    expect(chunksOf((await (await session.resume(turnId))?.text()) ?? "").at(-1)?.type).toBe("finish");
  });

  it("DIS3: while a question is open detaches the turn, over a crash and after the answer", async () => {
    const { session, response, turnId, runner } = await scene();
    runner.send({ type: "question", turnId, questionId: "q1", kind: "text", prompt: "?" });
    await leave(response);
    session.crash();
    const again = session.connectRunner();
    session.room.answer(OWNER, "q1", { value: "yes" });
    session.pass(10 * TIMES.graceMs);
    expect(again.socket.ofType("abort")).toEqual([]);
  });

  it("DIS3: because our own process died is not held against them", async () => {
    const { session } = await scene();
    session.crash();
    const again = session.connectRunner();
    session.pass(10 * TIMES.graceMs);
    expect(again.socket.ofType("abort")).toEqual([]);
  });

  it("DIS1: is gone for good when the process dies in between, and the clock goes on", async () => {
    const { session, response } = await scene();
    await leave(response);
    session.crash();
    const again = session.connectRunner();
    session.pass(TIMES.graceMs);
    expect(again.socket.ofType("abort")).toHaveLength(1);
  });

  it("DIS4: withdraws their queued prompt after the same time; whoever else waits for it is told", async () => {
    const { session, turnId, runner } = await scene();
    session.join("bob", "viewer");
    const waiting = session.chat({ id: "p2", text: "next" }, { onDisconnect: "abort" });
    const second = session.room.turns.queue[0]?.turnId ?? "";
    const other = await session.resume(second, "bob");
    await leave(waiting);
    session.pass(TIMES.graceMs);
    expect(session.room.turns.queue).toEqual([]);
    runner.send(finalize(turnId));
    expect(session.room.turns.active).toBeNull();
    expect(session.room.journal.streams.size).toBe(0);
    expect(chunksOf((await other?.text()) ?? "").at(-1)?.type).toBe("error");
  });

  it("DIS1: of a turn that has ended leaves no deadline", async () => {
    const { session, response, turnId, runner } = await scene();
    await leave(response);
    runner.send(finalize(turnId));
    const second = session.prompt("next");
    session.pass(TIMES.graceMs);
    expect(session.room.turns.activeTurnId).toBe(second);
    expect(readLog(session.log).filter((event) => event.type === "message.finalize")).toHaveLength(1);
  });
});
