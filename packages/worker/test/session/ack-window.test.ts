import { LIMITS } from "@agent-ops/shared/limits";
import { describe, expect, it } from "vitest";
import type { FakeReaderSocket } from "../support/fake-sockets.ts";
import { numbered, readLog, type TestRunner, TestSession, text } from "../support/test-session.ts";

const WINDOW = LIMITS.unacknowledgedBytes;

/** What the log sent a reader so far, as LOG8 counts it. */
function logBytes(reader: FakeReaderSocket): number {
  return reader.frames.filter((frame) => /"seq":\d+,"ts":/.test(frame)).join("").length;
}

type Scene = { session: TestSession; turnId: string; runner: TestRunner; reader: FakeReaderSocket };

function scene(): Scene {
  const session = new TestSession();
  const { turnId, runner } = session.startTurn();
  session.pass(1000);
  return { session, turnId, runner, reader: session.read({ since: session.log.lastSeq }) };
}

/** Sends text so that exactly `bytes` more go to the reader, in frames of their own. */
function feed({ session, turnId, runner, reader }: Scene, bytes: number): void {
  const target = logBytes(reader) + bytes;
  for (let left = bytes; left > 0; left = target - logBytes(reader)) {
    const size = left > 300_000 ? 200_000 : left;
    const before = logBytes(reader);
    const overhead = frameSize(session, turnId);
    runner.send(text(turnId, "x".repeat(size - overhead)));
    session.pass(1000);
    if (logBytes(reader) === before) throw new Error("The reader gets nothing more.");
  }
  expect(logBytes(reader)).toBe(target);
}

/** A frame with one empty delta. */
function frameSize(session: TestSession, turnId: string): number {
  return JSON.stringify([{ seq: session.log.lastSeq + 1, ts: session.clock.now(), ...text(turnId, "") }]).length;
}

function expectWhole({ session, reader }: Scene): void {
  const first = reader.seqs[0] ?? 1;
  expect(reader.events).toEqual(readLog(session.log, first - 1));
}

describe("LOG8: a socket reader that does not acknowledge", () => {
  it("LOG8: gets exactly 1 MB without a word", () => {
    const place = scene();
    feed(place, WINDOW);
    expect(place.reader.errors).toEqual([]);
    expectWhole(place);
  });

  it("LOG8: is told so once when one byte more is unacknowledged, and gets nothing more", () => {
    const place = scene();
    feed(place, WINDOW - 300);
    feed(place, 301);
    expect(place.reader.errors).toEqual(["ack_required"]);
    const { length } = place.reader.frames;
    place.runner.send(...numbered(place.turnId, 500));
    place.session.pass(1000);
    expect(place.reader.frames).toHaveLength(length);
  });

  it("LOG8: goes on from the log after its ack, then live, with nothing lost or doubled", () => {
    const place = scene();
    const { session, turnId, runner, reader } = place;
    feed(place, WINDOW + 1);
    runner.send(...numbered(turnId, 10));
    session.pass(250);
    runner.send(...numbered(turnId, 10, 10));
    session.room.journal.readers.acknowledge(reader, reader.seqs.at(-1) ?? 0);
    runner.send(...numbered(turnId, 10, 20));
    session.pass(250);
    expect(reader.errors).toEqual(["ack_required"]);
    expectWhole(place);
  });

  it("LOG8, LOG1: events that are gathered when its ack comes reach it once", () => {
    const place = scene();
    const { session, turnId, runner, reader } = place;
    feed(place, WINDOW + 1);
    for (let index = 0; index < 4; index++) runner.send(...numbered(turnId, 1, index));
    session.room.journal.readers.acknowledge(reader, reader.seqs.at(-1) ?? 0);
    session.pass(1000);
    expectWhole(place);
  });

  it("LOG8: an ack that leaves more than 1 MB open sets nothing going", () => {
    const place = scene();
    const { session, turnId, runner, reader } = place;
    feed(place, WINDOW + 1);
    runner.send(...numbered(turnId, 10));
    session.pass(1000);
    const sent = logBytes(reader);
    session.room.journal.readers.acknowledge(reader, 0);
    expect(logBytes(reader)).toBe(sent);
  });

  it("LOG8: a reader that is far behind gets the log in windows of 1 MB, as it acknowledges", () => {
    const place = scene();
    const { session, turnId, runner } = place;
    for (let index = 0; index < 40; index++) runner.send(text(turnId, "x".repeat(100_000)));
    session.pass(1000);
    const late = session.read({ since: 0 });
    const whole = readLog(session.log);
    let acknowledged = 0;
    for (let rounds = 0; late.events.length < whole.length; rounds++) {
      expect(rounds).toBeLessThan(10);
      expect(logBytes(late) - acknowledged).toBeLessThanOrEqual(WINDOW + LIMITS.frameBytes);
      acknowledged = logBytes(late);
      session.room.journal.readers.acknowledge(late, late.seqs.at(-1) ?? 0);
    }
    expect(late.events).toEqual(whole);
  });

  it("LOG8: its lag is kept with its socket while it lasts, so that a sleeping session knows it", () => {
    const place = scene();
    feed(place, WINDOW + 1);
    const { reader, session } = place;
    expect(reader.deserializeAttachment()).toEqual({ behind: reader.seqs.at(-1) });
    session.room.journal.readers.acknowledge(reader, reader.seqs.at(-1) ?? 0);
    expect(reader.deserializeAttachment()).toEqual({ behind: undefined });
  });

  it("LOG8: other readers are not held up by it", () => {
    const place = scene();
    const { session, turnId, runner } = place;
    const other = session.read({ since: 0 });
    for (let index = 0; index < 30; index++) {
      runner.send(text(turnId, "x".repeat(100_000)));
      session.pass(300);
      session.room.journal.readers.acknowledge(other, other.seqs.at(-1) ?? 0);
    }
    expect(place.reader.errors).toEqual(["ack_required"]);
    expect(other.events).toEqual(readLog(session.log));
  });

  it("EV5: frames to readers stay within 1 MB where a character takes three bytes", () => {
    const { session, turnId, runner, reader } = scene();
    runner.send(...Array.from({ length: 20 }, () => text(turnId, "\u65e5".repeat(50_000))));
    session.pass(1000);
    const late = session.read({ since: 0 });
    for (const frame of [...reader.frames, ...late.frames]) {
      expect(Buffer.byteLength(frame)).toBeLessThanOrEqual(LIMITS.frameBytes);
    }
  });

  it("LOG1: a reader whose socket fails takes nothing away from the others", () => {
    const { session, turnId, runner } = scene();
    const before = session.read({ since: 0 });
    const broken = session.read();
    const after = session.read({ since: 0 });
    broken.close(1006, "");
    runner.send(...numbered(turnId, 3));
    session.pass(250);
    expect(before.events).toEqual(readLog(session.log));
    expect(after.events).toEqual(readLog(session.log));
  });
});
