import { FIXED_TIMES, LIMITS, TIMES } from "@agent-ops/shared/limits";
import { describe, expect, it } from "vitest";
import { resume } from "../../src/durable-objects/session/chat-desk.ts";
import { chunksOf } from "../support/sse.ts";
import { finalize, OPTIONS, OWNER, type TestRunner, TestSession, text } from "../support/test-session.ts";

const WAIT_MS = 25_000;

/** A page that waits for one turn after the other, in a session whose turns are told by the test. */
class Following {
  readonly session = new TestSession();
  #runner: TestRunner | undefined;

  /** The page has read one turn. */
  static async afterFirst(): Promise<Following> {
    const following = new Following();
    following.run("first");
    following.session.pass(TIMES.lateResumeMs);
    const waiting = following.wait();
    following.run("read");
    expect(await textOf(waiting)).toBe("read");
    return following;
  }

  /** It comes with the first turn, which calls it. */
  get runner(): TestRunner {
    this.#runner ??= this.session.connectRunner();
    return this.#runner;
  }

  begin(answer: string): string {
    const turnId = this.session.prompt(answer);
    this.runner.send({ type: "message.create", turnId }, text(turnId, answer));
    return turnId;
  }

  /** A turn from its beginning to its end. */
  run(answer: string): void {
    const turnId = this.begin(answer);
    this.runner.send(finalize(turnId));
  }

  wait(chatId = "chat", user = OWNER): Promise<Response | undefined> {
    return this.session.resume(chatId, user, WAIT_MS / 1000);
  }

  /** What a request that waits gets when nothing more happens. */
  async waitInVain(chatId = "chat", user = OWNER): Promise<string | undefined> {
    const waiting = this.wait(chatId, user);
    this.session.pass(WAIT_MS);
    return textOf(waiting);
  }
}

async function textOf(asked: Promise<Response | undefined>): Promise<string | undefined> {
  const response = await asked;
  const chunks = response && chunksOf(await response.text());
  return chunks?.map((chunk) => ("delta" in chunk ? chunk.delta : "")).join("");
}

describe("SSE9: a turn that begins and ends between two requests", () => {
  it("SSE9: is told next, and so is the one after it, in order, each once", async () => {
    const page = await Following.afterFirst();
    for (const answer of ["second", "third"]) page.run(answer);
    expect(await textOf(page.wait())).toBe("second");
    expect(await textOf(page.wait())).toBe("third");
    expect(await page.waitInVain()).toBeUndefined();
  });

  it("SSE9: also after a wait in vain, and in a session that had no turn before", async () => {
    const page = new Following();
    for (const answer of ["one", "two"]) {
      expect(await page.waitInVain()).toBeUndefined();
      page.run(answer);
      expect(await textOf(page.wait())).toBe(answer);
    }
  });

  it("SSE9, SSE10: is told to who began to wait before there was a session", async () => {
    const page = new Following();
    page.run("one");
    const command = { chatId: "chat", waitSeconds: 25, fresh: true, options: OPTIONS };
    const waiting = resume(page.session.room, { user: OWNER, expiresAt: Infinity }, command);
    expect(await textOf(waiting)).toBe("one");
  });

  it("SSE9: is told to each chat of a person, and once to one that read the turn before two times at once", async () => {
    const page = await Following.afterFirst();
    const turnId = page.begin("twice");
    const streams = [page.wait(), page.wait(), page.wait("other")];
    page.runner.send(finalize(turnId));
    for (const stream of streams) expect(await textOf(stream)).toBe("twice");
    page.run("second");
    for (const chat of ["chat", "other"]) expect(await textOf(page.wait(chat))).toBe("second");
    for (const chat of ["chat", "other"]) expect(await page.waitInVain(chat)).toBeUndefined();
  });

  it("SSE9: is told to who was not there any more when it began", async () => {
    const page = await Following.afterFirst();
    const gone = new AbortController();
    const command = { chatId: "chat", waitSeconds: 25, options: OPTIONS };
    const abandoned = resume(page.session.room, { user: OWNER, expiresAt: Infinity }, command, gone.signal);
    gone.abort();
    page.run("second");
    expect(await abandoned).toBeUndefined();
    expect(await textOf(page.wait())).toBe("second");
  });

  it("SSE9: is the one that stands, where it was replaced meanwhile", async () => {
    const page = await Following.afterFirst();
    page.run("replaced");
    page.session.command({ kind: "regenerate", options: OPTIONS });
    const again = String(page.session.room.turns.activeTurnId);
    page.runner.send({ type: "message.create", turnId: again }, text(again, "instead"), finalize(again));
    expect(await textOf(page.wait())).toBe("instead");
  });

  it("SSE9: is not told to who does not wait, read the history since, comes too late, or never read a turn", async () => {
    for (const how of ["resume", "history", "late", "other"]) {
      const page = await Following.afterFirst();
      page.session.join("bob", "viewer");
      page.run("second");
      if (how === "history") page.session.room.turns.historyRead(OWNER);
      if (how === "late") page.session.pass(TIMES.lateResumeMs);
      const asked = how === "resume" ? page.session.resume() : page.wait("chat", how === "other" ? "bob" : OWNER);
      page.session.pass(WAIT_MS);
      expect([how, await asked]).toEqual([how, undefined]);
    }
  });

  it("SSE9: is told to a chat whose name has 128 characters, and to none with a longer one", async () => {
    for (const [length, told] of [
      [LIMITS.chatIdChars, "second"],
      [LIMITS.chatIdChars + 1, undefined],
    ] as const) {
      const page = new Following();
      const chat = "c".repeat(length);
      const reading = page.wait(chat);
      page.run("first");
      await textOf(reading);
      page.run("second");
      expect(await page.waitInVain(chat)).toBe(told);
    }
  });
});

describe("SSE9: a turn that was left", () => {
  it("SSE9, DIS1: is joined again by an asker who comes back in time", async () => {
    const page = new Following();
    const asked = page.session.chat({ id: "p1", text: "go" }, { chatId: "chat" });
    const turnId = String(page.session.room.turns.activeTurnId);
    page.runner.send({ type: "message.create", turnId });
    await asked.body?.cancel();
    const back = page.wait();
    page.session.pass(TIMES.graceMs);
    page.runner.send(text(turnId, "to the end"), finalize(turnId));
    expect(await textOf(back)).toBe("to the end");
  });

  it("SSE9: is told from its start to who left before its end, also where it has ended, and once", async () => {
    for (const when of ["runs", "has ended"]) {
      const page = await Following.afterFirst();
      const turnId = page.begin("of somebody else");
      await (await page.wait())?.body?.cancel();
      if (when === "has ended") page.runner.send(finalize(turnId));
      const back = page.wait();
      if (when === "runs") page.runner.send(finalize(turnId));
      expect(await textOf(back)).toBe("of somebody else");
      expect(await page.waitInVain()).toBeUndefined();
    }
  });

  it("SSE9: is not told where it is out of the history by then, or never began", async () => {
    const page = await Following.afterFirst();
    const turnId = page.begin("left");
    await (await page.wait())?.body?.cancel();
    page.runner.send(finalize(turnId));
    page.session.command({ kind: "regenerate", options: OPTIONS });
    const again = String(page.session.room.turns.activeTurnId);
    page.runner.send({ type: "message.create", turnId: again }, text(again, "instead"));
    await page.session.chat({ id: "queued", text: "never" }, { chatId: "chat" }).body?.cancel();
    const waiting = page.wait();
    page.runner.send(finalize(again));
    expect(await textOf(waiting)).toBe("instead");
  });

  it("SSE9, TR16: is not joined while it waits for an approval, but when that is given", async () => {
    const page = new Following();
    const options = { approvals: "native" as const, chatId: "chat" };
    const asked = page.session.chat({ id: "p1", text: "go" }, options);
    const turnId = String(page.session.room.turns.activeTurnId);
    const call = { turnId, callId: "c1", toolName: "bash" };
    page.runner.send(
      { type: "message.create", turnId },
      { type: "message.part.tool-update", ...call, status: "pending", args: {} },
      { type: "question", ...call, questionId: "q1", kind: "approval", prompt: "May I?" },
    );
    page.session.pass(FIXED_TIMES.gatherMs);
    await asked.text();
    expect(await page.waitInVain()).toBeUndefined();
    const waiting = page.wait();
    page.session.room.answer(OWNER, "q1", { approved: true });
    page.runner.send(text(turnId, "allowed"), finalize(turnId));
    expect(await textOf(waiting)).toContain("allowed");
  });
});
