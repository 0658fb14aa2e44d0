import { TIMES } from "@agent-ops/shared/limits";
import { describe, expect, it } from "vitest";
import { chunksOf } from "../support/sse.ts";
import { finalize, OWNER, TestSession, text } from "../support/test-session.ts";

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
