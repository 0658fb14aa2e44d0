import { TIMES } from "@agent-ops/shared/limits";
import { describe, expect, it } from "vitest";
import { chunksOf } from "../support/sse.ts";
import { finalize, OWNER, type TestRunner, TestSession, text } from "../support/test-session.ts";

/** A turn that runs, asked for over a socket, so that nobody has a stream of it. */
function scene() {
  const session = new TestSession();
  const { turnId, runner } = session.startTurn();
  runner.send(text(turnId, "the answer"));
  const readHistory = (user = OWNER) => session.room.turns.reads.read(user, session.room.turns.activeTurnId);
  return { session, turnId, runner, readHistory };
}

async function textOf(response: Response | undefined): Promise<string | undefined> {
  if (!response) return undefined;
  return chunksOf(await response.text())
    .map((chunk) => ("delta" in chunk ? chunk.delta : ""))
    .join("");
}

describe("SSE16: a turn that ends between reading the history and joining", () => {
  it("SSE16: is told to whoever read the history before its end, once", async () => {
    const { session, turnId, runner, readHistory } = scene();
    readHistory();
    runner.send(finalize(turnId));
    expect(await textOf(await session.resume())).toBe("the answer");
    expect(await session.resume()).toBeUndefined();
  });

  it("SSE16: also when the next one runs already", async () => {
    const { session, turnId, runner, readHistory } = scene();
    session.prompt("and then?");
    readHistory();
    runner.send(finalize(turnId));
    expect(await textOf(await session.resume())).toBe("the answer");
  });

  it("SSE16: is not told to those who have it: who read later, who read its stream, who were never here", async () => {
    const { session, turnId, runner, readHistory } = scene();
    session.join("bob", "viewer");
    session.join("cleo", "viewer");
    readHistory();
    readHistory("bob");
    const bobs = await session.resume("chat", "bob");
    readHistory("bob");
    runner.send(finalize(turnId));
    readHistory();
    expect(await textOf(bobs)).toBe("the answer");
    for (const user of [OWNER, "bob", "cleo"]) expect(await session.resume("chat", user)).toBeUndefined();
  });

  it("SSE16: is not told to who came back too late, or asked for something else since", async () => {
    for (const later of ["time", "prompt"]) {
      const { session, turnId, runner, readHistory } = scene();
      readHistory();
      runner.send(finalize(turnId));
      if (later === "time") session.pass(TIMES.lateResumeMs);
      else void session.chat({ id: "p9", text: "next" }).body?.cancel();
      if (later === "prompt") session.room.abort(OWNER);
      session.pass(TIMES.abortMs);
      expect(await session.resume()).toBeUndefined();
    }
  });
});

describe("SSE9: a turn that begins and ends between two requests of a page that follows", () => {
  /** A turn from its beginning to its end, over the socket. */
  function runTurn(session: TestSession, runner: TestRunner, answer: string): void {
    const turnId = session.prompt(answer);
    runner.send({ type: "message.create", turnId }, text(turnId, answer), finalize(turnId));
  }
  const wait = (session: TestSession, user = OWNER, chatId = "chat") => session.resume(chatId, user, 25);

  async function following() {
    const { session, turnId, runner } = scene();
    const first = await wait(session);
    runner.send(finalize(turnId));
    expect(await textOf(first)).toBe("the answer");
    return { session, runner };
  }

  it("SSE9: is told next, and so is the one after it, in order, each once", async () => {
    const { session, runner } = await following();
    for (const answer of ["second", "third"]) runTurn(session, runner, answer);
    expect(await textOf(await wait(session))).toBe("second");
    expect(await textOf(await wait(session))).toBe("third");
    const waiting = wait(session);
    session.pass(25_000);
    expect(await waiting).toBeUndefined();
  });

  it("SSE9: is told to each chat of a person, and once to one that read the turn before two times at once", async () => {
    const { session, turnId, runner } = scene();
    const streams = [await wait(session), await wait(session), await wait(session, OWNER, "other")];
    runner.send(finalize(turnId));
    for (const stream of streams) await textOf(stream);
    runTurn(session, runner, "second");
    expect(await textOf(await wait(session))).toBe("second");
    expect(await textOf(await wait(session, OWNER, "other"))).toBe("second");
    const waiting = [wait(session), wait(session, OWNER, "other")];
    session.pass(25_000);
    expect(await Promise.all(waiting)).toEqual([undefined, undefined]);
  });

  it("SSE9, LIM3: is told to a chat whose name has 256 characters, and to none with a longer one", async () => {
    for (const [length, told] of [
      [256, "second"],
      [257, undefined],
    ] as const) {
      const { session, turnId, runner } = scene();
      const chatId = "c".repeat(length);
      const first = await wait(session, OWNER, chatId);
      runner.send(finalize(turnId));
      await textOf(first);
      runTurn(session, runner, "second");
      const next = wait(session, OWNER, chatId);
      session.pass(25_000);
      expect(await textOf(await next)).toBe(told);
    }
  });

  it("SSE9: is not told to who does not wait, read the history since, comes too late, or never read a turn", async () => {
    for (const how of ["resume", "history", "late", "other"]) {
      const { session, runner } = await following();
      session.join("bob", "viewer");
      runTurn(session, runner, "second");
      if (how === "history") session.room.turns.reads.read(OWNER, undefined);
      if (how === "late") session.pass(TIMES.lateResumeMs);
      const asked = how === "resume" ? session.resume() : wait(session, how === "other" ? "bob" : OWNER);
      session.pass(25_000);
      expect([how, await asked]).toEqual([how, undefined]);
    }
  });
});
