import { appendFileSync, existsSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { runnerFrame } from "@agent-ops/shared/frames";
import { LIMITS } from "@agent-ops/shared/limits";
import fc from "fast-check";
import { expect, test } from "vitest";
import { Outbox } from "../src/outbox.ts";
import { loadOutbox } from "../src/outbox-file.ts";
import { packEvent } from "../src/packed-event.ts";
import { tempDir } from "./support/temp-dir.ts";

function open(path: string): Outbox {
  const onWriteError = (error: unknown) => {
    throw error;
  };
  return new Outbox(path, onWriteError);
}

function delta(text: string, turnId = "t1") {
  return packEvent({ type: "message.part.text-delta", turnId, delta: text });
}

function finalize(turnId: string) {
  return packEvent({ type: "message.finalize", turnId, reason: "end_turn" });
}

function sentBy(outbox: Outbox, after = 0): { seq: number; text: unknown }[] {
  const frames = [...outbox.framesAfter(after)].map((frame) => runnerFrame.parse(JSON.parse(frame.text)));
  return frames.flatMap((frame) => frame.events.map((event, index) => ({ seq: frame.seq + index, text: event.delta })));
}

type Step =
  | { do: "append"; texts: string[] }
  | { do: "ack"; part: number }
  | { do: "die"; torn: number; draft: boolean }
  | { do: "renew" };

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({ do: fc.constant("append" as const), texts: fc.array(fc.string({ unit: "binary" })) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant("append" as const), texts: fc.constant<string[]>(["x".repeat(70_000)]) }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant("ack" as const), part: fc.double({ min: 0, max: 1, noNaN: true }) }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("die" as const), torn: fc.nat(60), draft: fc.boolean() }) },
  { weight: 1, arbitrary: fc.constant({ do: "renew" as const }) },
);

/** What must be true of an outbox after each step, told without files. */
class Model {
  epoch = 1;
  next = 1;
  held: { seq: number; text: string }[] = [];
  #path: string;
  outbox: Outbox;

  constructor(path: string) {
    this.#path = path;
    this.outbox = open(path);
    this.outbox.begin(1);
  }

  take(step: Step): void {
    switch (step.do) {
      case "append":
        return this.#append(step.texts);
      case "ack":
        return this.#acknowledge(step.part);
      case "die":
        return this.#die(step.torn, step.draft);
      case "renew":
        return this.#renew();
    }
  }

  #append(texts: string[]): void {
    this.outbox.append(texts.flatMap((text) => delta(text)));
    for (const text of texts) this.held.push({ seq: this.next++, text });
  }

  #acknowledge(part: number): void {
    const seq = Math.floor((this.next - 1) * part);
    this.outbox.acknowledge(seq);
    this.held = this.held.filter((entry) => entry.seq > seq);
  }

  /** Killed in the middle of an append, or of writing the file anew. */
  #die(torn: number, draft: boolean): void {
    const line = `{"epoch":${this.epoch},"seq":${this.next},"events":[{"type":"message.part.text-delta"}]}`;
    appendFileSync(this.#path, line.slice(0, torn));
    if (draft) writeFileSync(`${this.#path}.new`, line.slice(0, torn));
    this.outbox.close();
    this.outbox = open(this.#path);
    this.outbox.begin(this.epoch);
  }

  #renew(): void {
    this.epoch += 1;
    this.outbox.begin(this.epoch);
    Object.assign(this, { next: 1, held: [] });
  }
}

test("RUN3 no unacknowledged event is ever lost and no number used twice, whatever happens", () => {
  const dir = tempDir();
  let run = 0;
  const property = fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
    const model = new Model(join(dir, `${run++}.jsonl`));
    for (const taken of steps) {
      model.take(taken);
      expect(sentBy(model.outbox)).toEqual(model.held);
      expect(model.outbox.acknowledged).toBe(model.next - model.held.length - 1);
      expect(model.outbox.epoch).toBe(model.epoch);
    }
    model.outbox.close();
  });
  fc.assert(property, { numRuns: 300 });
});

test("RUN3 a file that is mostly acknowledged is written anew, and keeps the lease and the next number", () => {
  const path = join(tempDir(), "s.jsonl");
  const outbox = open(path);
  outbox.begin(7);
  for (let index = 0; index < 100; index += 1) outbox.append(delta("x".repeat(1_000)));
  expect(statSync(path).size).toBeGreaterThan(100_000);
  outbox.acknowledge(100);
  expect(statSync(path).size).toBeLessThan(100);
  expect(loadOutbox(path)).toEqual({ epoch: 7, next: 101, entries: [] });
});

test("RUN3 a turn that is told and acknowledged leaves nothing of it on disk", () => {
  const path = join(tempDir(), "s.jsonl");
  const outbox = open(path);
  outbox.begin(1);
  outbox.append([...delta("a private word"), ...finalize("t1")]);
  outbox.acknowledge(2);
  expect(readFileSync(path, "utf8")).toBe('{"epoch":1,"next":3}\n');
});

test("EV5 frames stay under the limit and lose nothing", () => {
  const outbox = open(join(tempDir(), "s.jsonl"));
  outbox.begin(1);
  const texts = Array.from({ length: 12 }, (_, index) => `${index}`.repeat(200_000 / `${index}`.length));
  outbox.append(texts.flatMap((text) => delta(text)));
  const frames = [...outbox.framesAfter(0)];
  expect(frames.length).toBeGreaterThan(2);
  for (const frame of frames) expect(Buffer.byteLength(frame.text)).toBeLessThanOrEqual(LIMITS.frameBytes);
  expect(sentBy(outbox).map(({ text }) => text)).toEqual(texts);
  expect(frames.at(-1)?.last).toBe(12);
});

test("RUN4 frames after a number leave out what is before it", () => {
  const outbox = open(join(tempDir(), "s.jsonl"));
  outbox.begin(1);
  outbox.append(["a", "b", "c", "d"].flatMap((text) => delta(text)));
  outbox.acknowledge(1);
  expect(sentBy(outbox, 2)).toEqual([
    { seq: 3, text: "c" },
    { seq: 4, text: "d" },
  ]);
  expect(sentBy(outbox, 9)).toEqual([]);
});

test("RUN3 a session that has more than this runner remembers moves the next number", () => {
  const outbox = open(join(tempDir(), "s.jsonl"));
  outbox.begin(1);
  outbox.acknowledge(50);
  outbox.append(delta("a"));
  expect(sentBy(outbox)).toEqual([{ seq: 51, text: "a" }]);
});

test("RUN6 it knows what it holds of a turn", () => {
  const outbox = open(join(tempDir(), "s.jsonl"));
  outbox.begin(1);
  expect(outbox.holds("t1")).toBe("nothing");
  outbox.append(delta("a", "t1"));
  expect(outbox.holds("t1")).toBe("events");
  outbox.append(finalize("t1"));
  expect(outbox.holds("t1")).toBe("end");
  expect(outbox.holds("t2")).toBe("nothing");
});

test("too much unacknowledged makes producers wait until it is acknowledged, or they are stopped", async () => {
  const outbox = open(join(tempDir(), "s.jsonl"));
  outbox.begin(1);
  const controller = new AbortController();
  const piece = delta("x".repeat(400_000));
  for (let index = 0; index < 20; index += 1) outbox.append(piece);
  expect(outbox.room(controller.signal)).toBeUndefined();
  for (let index = 0; index < 5; index += 1) outbox.append(piece);
  const waiting = outbox.room(controller.signal);
  expect(waiting).toBeInstanceOf(Promise);
  outbox.acknowledge(10);
  await waiting;
  for (let index = 0; index < 10; index += 1) outbox.append(piece);
  const stopped = outbox.room(controller.signal);
  controller.abort();
  await stopped;
});

/** An outbox on a disk that refuses every write until it is mended. */
function openOnBrokenDisk() {
  const folder = join(tempDir(), "folder");
  const path = join(folder, "outbox", "s.jsonl");
  const errors: unknown[] = [];
  writeFileSync(folder, "a file where the folder should be");
  const outbox = new Outbox(path, (error) => errors.push(error));
  outbox.begin(3);
  outbox.append([...delta("a"), ...delta("b")]);
  return { outbox, path, errors, mend: () => rmSync(folder) };
}

test("a disk that refuses is said; memory still delivers, and the next write that works mends the file", () => {
  const { outbox, path, errors, mend } = openOnBrokenDisk();
  expect(errors).toHaveLength(2);
  expect(sentBy(outbox).map(({ seq }) => seq)).toEqual([1, 2]);
  mend();
  outbox.append(delta("c"));
  expect(errors).toHaveLength(2);
  expect(loadOutbox(path)).toMatchObject({ epoch: 3, next: 4, entries: [{ seq: 1 }, { seq: 2 }, { seq: 3 }] });
});

test("an acknowledgement mends the file as well", () => {
  const { outbox, path, mend } = openOnBrokenDisk();
  mend();
  outbox.acknowledge(1);
  expect(loadOutbox(path)).toMatchObject({ epoch: 3, next: 3, entries: [{ seq: 2 }] });
});

test("a session that is gone leaves no file", () => {
  const path = join(tempDir(), "s.jsonl");
  const outbox = open(path);
  outbox.begin(1);
  expect(readFileSync(path, "utf8")).toBe('{"epoch":1,"next":1}\n');
  outbox.remove();
  expect(existsSync(path)).toBe(false);
});
