import { FIXED_TIMES, STORE_AFTER_EVENTS, TIMES } from "@agent-ops/shared/limits";
import { describe, expect, it } from "vitest";
import { type FakeReaderSocket, payloadOf } from "../support/fake-sockets.ts";
import { finalize, numbered, OWNER, readLog, type TestRunner, TestSession, text } from "../support/test-session.ts";

/** Notes in one list what is committed to the disk and what is sent to whom, in the order it happens. */
function witness(session: TestSession, reader: FakeReaderSocket, runner: TestRunner): string[] {
  const notes: string[] = [];
  let stored = session.log.storedSeq;
  session.storage.onCommit = () => {
    const last = Number(session.storage.all("SELECT max(last_seq) AS s FROM log")[0]?.s);
    if (last > stored) notes.push(`stored ${last}`);
    stored = last;
  };
  reader.onSend = (frame) => {
    for (const event of JSON.parse(frame)) notes.push(`shown ${event.seq ?? ""} ${event.type}`);
  };
  runner.socket.onSend = (frame) => {
    for (const command of JSON.parse(frame)) notes.push(`runner ${command.type} ${command.seq ?? ""}`.trim());
  };
  return notes;
}

function scene() {
  const session = new TestSession();
  const { turnId, runner } = session.startTurn();
  session.pass(1000);
  const reader = session.read();
  const notes = witness(session, reader, runner);
  return { session, turnId, runner, reader, notes, seq: session.log.lastSeq };
}

describe("LOG2: events of a runner", () => {
  it("LOG2, LOG4: are shown at once, stored 250 ms later in one transaction, and acknowledged then", () => {
    const { session, turnId, runner, notes, seq } = scene();
    runner.send(...numbered(turnId, 2));
    const shown = [1, 2].map((n) => `shown ${seq + n} message.part.text-delta`);
    expect(notes).toEqual(shown);
    session.pass(TIMES.storeAfterMs - 1);
    expect(notes).toEqual(shown);
    session.pass(1);
    expect(notes).toEqual([...shown, `stored ${seq + 2}`, "runner ack 3"]);
  });

  it("LOG2: the 250 ms run from the first event that waits, not from the last", () => {
    const { session, turnId, runner, seq } = scene();
    for (let at = 0; at < 250; at += 50) {
      runner.send(text(turnId, `${at}`));
      session.pass(50);
    }
    expect(session.log.storedSeq).toBe(seq + 5);
  });

  it("LOG2: 255 events wait, the 256th stores them all at once", () => {
    const { session, turnId, runner, seq } = scene();
    runner.send(...numbered(turnId, STORE_AFTER_EVENTS - 1));
    expect(session.log.storedSeq).toBe(seq);
    runner.send(text(turnId, "last"));
    expect(session.log.storedSeq).toBe(seq + STORE_AFTER_EVENTS);
    expect(runner.socket.acknowledged).toBe(1 + STORE_AFTER_EVENTS);
    runner.send(text(turnId, "next"));
    session.pass(TIMES.storeAfterMs);
    expect(session.log.storedSeq).toBe(seq + STORE_AFTER_EVENTS + 1);
  });

  it("LOG2: a burst reaches a reader as few frames, in order, and in one transaction", () => {
    const { session, turnId, runner, reader, notes } = scene();
    const before = reader.frames.length;
    for (let index = 0; index < 100; index++) runner.send(text(turnId, `t${index} `));
    session.pass(FIXED_TIMES.gatherMs);
    expect(reader.events.slice(-100).map(payloadOf)).toEqual(numbered(turnId, 100));
    expect(reader.frames.length - before).toBeLessThanOrEqual(3);
    session.pass(TIMES.storeAfterMs);
    expect(notes.filter((note) => note.startsWith("stored"))).toHaveLength(1);
  });

  it("LOG4: an ack never goes ahead of the disk, whatever a frame mixes", () => {
    const { session, turnId, runner, seq } = scene();
    const asked = { type: "question", turnId, questionId: "q1", kind: "text", prompt: "?" };
    const events = [
      ...numbered(turnId, 3),
      asked,
      ...numbered(turnId, 3, 3),
      { type: "title", title: "T" },
      text(turnId, "end"),
    ];
    runner.socket.onSend = () =>
      expect(runner.socket.acknowledged - 1).toBeLessThanOrEqual(session.log.storedSeq - seq);
    runner.send(...events);
    session.pass(TIMES.storeAfterMs);
    expect(runner.socket.acknowledged).toBe(1 + events.length);
  });
});

describe("LOG3: what counts at once", () => {
  /** Everything above `from` that was shown or confirmed had been stored before. */
  function expectStoredFirst(notes: readonly string[]): void {
    let stored = 0;
    for (const note of notes) {
      const [what, number] = note.split(" ");
      if (what === "stored") stored = Number(number);
      if (what === "shown" && number) expect(Number(number)).toBeLessThanOrEqual(stored);
    }
  }

  it("LOG3: a question is stored with all that waited, and only then shown", () => {
    const { turnId, runner, notes, seq } = scene();
    runner.send(text(turnId, "a"), { type: "question", turnId, questionId: "q1", kind: "text", prompt: "?" });
    expect(notes[0]).toBe(`stored ${seq + 2}`);
    expectStoredFirst(notes);
    expect(notes.filter((note) => note.startsWith("shown"))).toHaveLength(2);
  });

  it("LOG3, LOG4: a finalize is stored with all that waited, and only then shown and acknowledged", () => {
    const { session, turnId, runner, notes, seq } = scene();
    runner.send(text(turnId, "a"), text(turnId, "b"), finalize(turnId));
    expect(notes.slice(0, 2)).toEqual([`stored ${seq + 3}`, "runner ack 4"]);
    expectStoredFirst(notes);
    session.crash();
    expect(session.room.turns.active).toBeNull();
    expect(session.messages.at(-1)?.parts).toContainEqual({
      type: "finish",
      reason: "end_turn",
    });
  });

  it("LOG3: a prompt, an answer, a rename, an abort and a withdrawal are stored before they are shown or passed on", () => {
    const { session, turnId, runner, notes } = scene();
    runner.send({ type: "question", turnId, questionId: "q1", kind: "text", prompt: "?" });
    runner.send(text(turnId, "waits"));
    notes.length = 0;
    const acts = [
      () => session.prompt("next", "p2"),
      () => session.room.answer(OWNER, "q1", { value: "yes" }),
      () => session.room.rename(OWNER, "A title"),
      () => session.room.withdraw(OWNER, "p2"),
      () => session.room.abort(OWNER),
    ];
    for (const act of acts) {
      const from = notes.length;
      act();
      expect(notes[from]).toMatch(/^stored/);
      const lives = session.log.storedSeq;
      expect(session.log.lastSeq).toBe(lives);
    }
    expectStoredFirst(notes);
    const passedOn = notes.filter((note) => note.startsWith("runner") && !note.startsWith("runner ack"));
    expect(passedOn).toEqual(["runner answer", "runner abort"]);
  });

  it("LOG3: what a person did is there after a crash at once", () => {
    const { session, turnId, runner } = scene();
    runner.send({ type: "question", turnId, questionId: "q1", kind: "text", prompt: "?" });
    session.prompt("next", "p2");
    session.room.answer(OWNER, "q1", { value: "yes" });
    session.room.rename(OWNER, "A title");
    session.crash();
    expect(session.room.record.title).toBe("A title");
    expect(session.room.turns.queue.map((item) => item.promptId)).toEqual(["p2"]);
    const answered = readLog(session.log).find((event) => event.type === "question.resolved");
    expect(answered).toMatchObject({ questionId: "q1", by: OWNER, answer: { value: "yes" } });
  });
});
