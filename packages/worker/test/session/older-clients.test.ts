import { describe, expect, it } from "vitest";
import type { FakeReaderSocket } from "../support/fake-sockets.ts";
import { finalize, numbered, TestSession, text } from "../support/test-session.ts";

function chunks(reader: FakeReaderSocket): object[] {
  return reader.received.filter((event) => event.type === "chunk");
}

describe("LOG11: clients that read chunks", () => {
  it("LOG11: get the text as chunks too, once, live and from the log; nobody else does", () => {
    const session = new TestSession();
    const { turnId, runner } = session.startTurn();
    const [older, newer] = [session.read({ chunks: true }), session.read()];
    runner.send(text(turnId, "a "), { type: "message.step", turnId }, text(turnId, "b"));
    runner.send(finalize(turnId));
    const told = ["a ", "b"].map((content) => ({ type: "chunk", content, messageId: turnId }));
    expect(chunks(older)).toEqual(told);
    expect(chunks(newer)).toEqual([]);
    expect(chunks(session.read({ chunks: true, since: 0 }))).toEqual(told);
    expect(older.seqs).toEqual(newer.seqs);
  });

  it("LOG8: chunks count as what is unacknowledged", () => {
    const session = new TestSession();
    const { turnId, runner } = session.startTurn();
    const [older, newer] = [session.read({ chunks: true }), session.read()];
    runner.send(...numbered(turnId, 6).map((event) => ({ ...event, delta: "x".repeat(100_000) })));
    session.pass(1000);
    expect([older.errors, newer.errors]).toEqual([["ack_required"], []]);
  });
});
