import { AppError } from "@agent-ops/shared/errors";
import { promptInput } from "@agent-ops/shared/frames";
import { LIMITS } from "@agent-ops/shared/limits";
import { describe, expect, it } from "vitest";
import { finalize, numbered, OWNER, readLog, TestSession } from "../support/test-session.ts";

function codeOf(work: () => unknown): string | undefined {
  try {
    work();
  } catch (error) {
    return error instanceof AppError ? error.code : String(error);
  }
  return undefined;
}

describe("prompts", () => {
  it("TURN2: the same id with the same content joins its turn, while it waits, runs, and after it ended", () => {
    const session = new TestSession();
    const { turnId, runner } = session.startTurn();
    expect(session.room.prompt(OWNER, { id: "prompt-1", text: "hello" })).toEqual({ turnId, queued: false });
    const second = session.prompt("again", "p2");
    expect(session.room.prompt(OWNER, { id: "p2", text: "again" })).toEqual({ turnId: second, queued: true });
    const before = session.log.lastSeq;
    expect(session.prompt("again", "p2")).toBe(second);
    expect(session.log.lastSeq).toBe(before);
    runner.send(finalize(turnId));
    expect(session.prompt("hello", "prompt-1")).toBe(turnId);
    expect(runner.socket.ofType("prompt").map((command) => command.turnId)).toEqual([turnId, second]);
  });

  it("TURN2: the same id joins its turn after a crash too", () => {
    const session = new TestSession();
    const turnId = session.prompt("hello", "p1");
    session.crash();
    expect(session.prompt("hello", "p1")).toBe(turnId);
    expect(readLog(session.log).filter((event) => event.type === "message")).toHaveLength(1);
  });

  it("TURN2: the same id with other content is a conflict and changes nothing", () => {
    const session = new TestSession();
    session.prompt("hello", "p1");
    const before = session.log.lastSeq;
    const file = { type: "file" as const, mediaType: "text/plain", url: "data:text/plain,x" };
    const others = [
      { id: "p1", text: "hello " },
      { id: "p1", text: "hello", attachments: [file] },
      { id: "p1", text: "hello", channel: { id: "c1" } },
    ];
    for (const other of others) expect(codeOf(() => session.room.prompt(OWNER, other))).toBe("conflict");
    expect(session.log.lastSeq).toBe(before);
  });

  it("TURN2: the same id and content is the same prompt whatever the order of its keys", () => {
    const session = new TestSession();
    const one = promptInput.parse({ id: "p1", text: "hello", channel: { type: "slack", id: "c1" } });
    const other = promptInput.parse({ channel: { id: "c1", type: "slack" }, text: "hello", id: "p1" });
    const { turnId } = session.room.prompt(OWNER, one);
    session.crash();
    expect(session.room.prompt(OWNER, other).turnId).toBe(turnId);
  });

  it("TURN1, TURN4: prompts run one after the other in their order, over a crash", () => {
    const session = new TestSession();
    const turns = ["a", "b", "c"].map((text) => session.prompt(text));
    session.crash();
    const runner = session.connectRunner();
    for (const turnId of turns) {
      expect(session.room.turns.activeTurnId).toBe(turnId);
      runner.send({ type: "message.create", turnId }, ...numbered(turnId, 2), finalize(turnId));
    }
    expect(session.room.turns.active).toBeNull();
    expect(session.room.record.status).toBe("ready");
    expect(runner.socket.ofType("prompt").map((command) => command.turnId)).toEqual(turns);
  });

  it("TURN1: exactly 50 prompts wait; the 51st is refused and leaves no trace", () => {
    const session = new TestSession();
    session.startTurn();
    for (let count = 0; count < LIMITS.queueLength; count++) session.prompt();
    const before = session.log.lastSeq;
    expect(codeOf(() => session.prompt("one more", "late"))).toBe("queue_full");
    expect(session.log.lastSeq).toBe(before);
    session.crash();
    expect(session.room.turns.queue).toHaveLength(LIMITS.queueLength);
  });

  it("TURN1: a prompt that is withdrawn never runs, and its id cannot be taken for a new one", () => {
    const session = new TestSession();
    const { turnId, runner } = session.startTurn();
    session.prompt("second", "p2");
    const third = session.prompt("third", "p3");
    session.room.withdraw(OWNER, "p2");
    expect(codeOf(() => session.room.withdraw(OWNER, "p2"))).toBe("not_found");
    session.crash();
    expect(session.room.turns.queue.map((item) => item.promptId)).toEqual(["p3"]);
    session.connectRunner().send(finalize(turnId));
    expect(session.room.turns.activeTurnId).toBe(third);
    expect(codeOf(() => session.chat({ id: "p2", text: "second" }))).toBe("conflict");
    expect(runner.socket.ofType("prompt")).toHaveLength(1);
  });

  it("TURN2: over the socket a withdrawn prompt is a conflict as well, not accepted and then silent", () => {
    const session = new TestSession();
    session.startTurn();
    session.prompt("second", "p2");
    session.room.withdraw(OWNER, "p2");
    expect(codeOf(() => session.room.prompt(OWNER, { id: "p2", text: "second" }))).toBe("conflict");
  });

  it("TURN1: an empty prompt and one that is too long are refused at the edge", () => {
    const session = new TestSession();
    const long = "x".repeat(LIMITS.promptChars);
    expect(codeOf(() => session.prompt("  \n\t "))).toBe("empty_prompt");
    expect(codeOf(() => session.prompt(`${long}x`))).toBe("too_large");
    expect(codeOf(() => session.prompt(long))).toBeUndefined();
  });

  it("LOG7, EV5: the largest prompts in the queue make neither rows nor frames of more than 1 MB", () => {
    const session = new TestSession();
    session.startTurn();
    const reader = session.read();
    for (let count = 0; count < 8; count++) session.prompt("x".repeat(LIMITS.promptChars));
    const rows = session.storage.all("SELECT max(length(cast(events AS BLOB))) AS bytes FROM log");
    expect(Number(rows[0]?.bytes)).toBeLessThan(1024 * 1024);
    const sizes = reader.frames.map((frame) => Buffer.byteLength(frame));
    expect(Math.max(...sizes)).toBeLessThanOrEqual(LIMITS.frameBytes);
  });

  it("EV7: a stored message is the fold of its events where it fills several rows, whatever its characters", () => {
    for (const lead of ["", "x"]) {
      const session = new TestSession();
      const { turnId, runner } = session.startTurn();
      const smile = "\u{1f600}".repeat(100_000);
      const deltas = [lead, smile, smile].map((delta) => ({ type: "message.part.text-delta", turnId, delta }));
      runner.send(...deltas, finalize(turnId));
      const part = session.messages.at(-1)?.parts[0];
      expect(part?.type === "text" && part.text === lead + smile + smile).toBe(true);
    }
  });
});
