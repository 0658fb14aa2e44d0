import { LIMITS } from "@agent-ops/shared/limits";
import type { Role } from "@agent-ops/shared/sessions";
import { describe, expect, it } from "vitest";
import { onClientFrame } from "../../src/durable-objects/session/client-commands.ts";
import type { FakeReaderSocket } from "../support/fake-sockets.ts";
import { OWNER, readLog, TestSession, text } from "../support/test-session.ts";

function scene(role: Role = "owner") {
  const session = new TestSession();
  const user = role === "owner" ? OWNER : "bob";
  if (role !== "owner") session.join(user, role);
  const reader = session.read({}, user);
  const send = (...commands: unknown[]) => sendText(commands.map((command) => JSON.stringify(command)).join());
  const sendText = (frame: string) =>
    onClientFrame(session.room, { socket: reader, by: { user, expiresAt: Number.POSITIVE_INFINITY } }, frame);
  return { session, reader, send, sendText };
}

function errors(reader: FakeReaderSocket): unknown[] {
  return reader.received.filter((event) => event.type === "error");
}

const PROMPT = { type: "prompt", id: "p1", text: "hello" };

describe("commands of a reader", () => {
  it("TURN2: a prompt is accepted with its turn, and again with the same one", () => {
    const { reader, send } = scene();
    send(PROMPT);
    send(PROMPT);
    const accepted = reader.received.filter((event) => event.type === "accepted");
    expect(accepted).toHaveLength(2);
    expect(accepted[0]).toEqual(accepted[1]);
    expect(accepted[0]).toMatchObject({ promptId: "p1", queued: false });
  });

  it("EV4, EV5: each command of a frame stands for itself; what is wrong with one is said with its reference", () => {
    const { reader, sendText } = scene();
    sendText(JSON.stringify([{ type: "ping" }, { type: "mystery" }, { ...PROMPT, text: " " }, { type: "ping" }, 7]));
    expect(reader.received.filter((event) => event.type === "pong")).toHaveLength(2);
    expect(errors(reader)).toMatchObject([
      { code: "bad_request", re: "mystery" },
      { code: "empty_prompt", re: "p1" },
      { code: "bad_request" },
    ]);
  });

  it("EV5: a frame of exactly 1 MB is read, one of more is not", () => {
    const { reader, sendText } = scene();
    const ping = JSON.stringify({ type: "ping" });
    sendText(ping.padEnd(1024 * 1024));
    expect(errors(reader)).toEqual([]);
    sendText(ping.padEnd(1024 * 1024 + 1));
    expect(errors(reader)).toMatchObject([{ code: "bad_json" }]);
  });

  it("LIM4: a frame has 100 commands at the most; of one with more nothing is done, and it is said once", () => {
    const { session, reader, send, sendText } = scene();
    const pongs = () => reader.received.filter((event) => event.type === "pong").length;
    sendText(JSON.stringify(Array.from({ length: LIMITS.frameCommands }, () => ({ type: "ping" }))));
    expect([pongs(), errors(reader)]).toEqual([LIMITS.frameCommands, []]);
    sendText(JSON.stringify([PROMPT, ...Array.from({ length: LIMITS.frameCommands }, () => ({ type: "ping" }))]));
    expect(errors(reader)).toMatchObject([{ code: "too_many", message: expect.stringContaining("100") }]);
    expect([pongs(), session.room.turns.activeTurnId]).toEqual([LIMITS.frameCommands, undefined]);
    sendText(`[${"0,".repeat(500_000)}0]`);
    expect(errors(reader)).toHaveLength(2);
    send({ type: "ping" });
    expect(pongs()).toBe(LIMITS.frameCommands + 1);
  });

  it("EV5: half a surrogate pair is refused, wherever in a command it is, and a whole one is kept", () => {
    const { session, reader, sendText } = scene();
    sendText(String.raw`[{"type":"prompt","id":"p1","text":"a \ud83d b"},{"type":"set-title","title":"\udc4d"}]`);
    sendText(String.raw`{"type":"prompt","id":"\ud83d","text":"a"}`);
    expect(reader.errors).toEqual(["bad_request", "bad_request", "bad_request"]);
    expect(session.room.turns.activeTurnId).toBeUndefined();
    sendText(String.raw`{"type":"prompt","id":"p1","text":"a \ud83d\udc4d"}`);
    expect(session.messages.at(-2)?.parts).toEqual([{ type: "text", text: "a 👍" }]);
  });

  it("ACL6: an abort with nothing to abort, and answers to nothing, are refused with their codes", () => {
    const { reader, send } = scene();
    send({ type: "abort" });
    send({ type: "answer", questionId: "q1", answer: { approved: true } });
    send({ type: "withdraw", promptId: "p9" });
    expect(errors(reader)).toMatchObject([{ code: "nothing_running" }, { code: "not_found" }, { code: "not_found" }]);
  });

  it.each<[Role, string[]]>([
    ["viewer", ["forbidden", "forbidden", "forbidden", "forbidden", "forbidden"]],
    ["collaborator", ["nothing_running", "not_found", "not_found", "forbidden"]],
    ["owner", ["nothing_running", "not_found", "not_found"]],
  ])("ACL6: what a %s may do", (role, codes) => {
    const { session, reader, send } = scene(role);
    const before = session.log.lastSeq;
    send({ type: "abort" });
    send({ type: "answer", questionId: "q1", answer: { approved: true } });
    send({ type: "withdraw", promptId: "p9" });
    send({ type: "set-title", title: "Mine" });
    expect(session.room.record.title).toBe(role === "owner" ? "Mine" : "New session");
    send(PROMPT);
    expect(errors(reader).map((error) => (error as { code: string }).code)).toEqual(codes);
    if (role === "viewer") expect(session.log.lastSeq).toBe(before);
    else expect(session.room.turns.activeTurnId).toBeDefined();
  });

  it("ACL2: somebody who is no longer a member can do nothing", () => {
    const { session, reader, send } = scene("collaborator");
    session.room.people.unshare(OWNER, "bob");
    const before = session.log.lastSeq;
    send(PROMPT);
    expect(errors(reader)).toMatchObject([{ code: "not_found" }]);
    expect(session.log.lastSeq).toBe(before);
  });

  it("ACL6: everything a person did is in the audit log, with who and when", () => {
    const { session, send } = scene();
    send(PROMPT);
    send({ type: "set-title", title: "A title" });
    send({ type: "abort" });
    const audit = readLog(session.log).flatMap((event) => (event.type === "audit_log" ? [event] : []));
    expect(audit.map((event) => ("entry" in event ? event.entry : undefined))).toMatchObject(
      ["prompt", "rename", "abort"].map((action) => ({ action, userId: OWNER, ts: session.clock.now() })),
    );
  });

  it("LOG8: an ack over the socket sets a reader going again", () => {
    const { session, reader, send } = scene();
    const { turnId, runner } = session.startTurn();
    for (let count = 0; count < 12; count++) runner.send(text(turnId, "x".repeat(100_000)));
    session.pass(1000);
    expect(reader.errors).toEqual(["ack_required"]);
    send({ type: "ack", seq: reader.seqs.at(-1) });
    expect(reader.seqs.at(-1)).toBe(session.log.lastSeq);
  });
});
