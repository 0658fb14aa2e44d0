import { isKnownEvent, type UnknownEvent } from "@agent-ops/shared/events";
import type { MessagePart } from "@agent-ops/shared/message-parts";
import { reduceParts } from "@agent-ops/shared/message-reducer";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { expectNoGaps, payloadOf } from "../support/fake-sockets.ts";
import { ModelReader } from "../support/model-reader.ts";
import { ModelRunner } from "../support/model-runner.ts";
import { replayOf } from "../support/sse.ts";
import { finalize, OWNER, readLog, TestSession, text } from "../support/test-session.ts";

const OWN_TYPES = new Set(["message", "status", "audit_log", "queue.state", "question.resolved"]);
const PROMPT = { id: "prompt-1", text: "go" };

type Step =
  | { kind: "say"; what: string; count: number }
  | { kind: "deliver"; count: number }
  | { kind: "repeat"; back: number; count: number }
  | { kind: "overtake"; skipped: number; count: number }
  | { kind: "wait"; ms: number }
  | { kind: "crash" | "cut" | "leave" };

const small = fc.integer({ min: 1, max: 6 });
const saying = fc.oneof(
  { weight: 1, arbitrary: fc.record({ what: fc.constant("text" as const), count: fc.constant(300) }) },
  {
    weight: 5,
    arbitrary: fc.record({
      what: fc.constantFrom("text", "text", "question", "title", "unknown", "tool"),
      count: small,
    }),
  },
);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: saying.map((said) => ({ kind: "say" as const, ...said })) },
  {
    weight: 6,
    arbitrary: fc.record({ kind: fc.constant("deliver" as const), count: fc.oneof(small, fc.constant(400)) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("repeat" as const), back: small, count: small }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("overtake" as const), skipped: small, count: small }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("wait" as const), ms: fc.constantFrom(1, 6, 249, 250) }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constantFrom("crash" as const, "cut" as const, "leave" as const) }) },
);

/** One session, the runner of its one turn, and a reader that was there from the start. */
class Scene {
  readonly session = new TestSession();
  readonly runner = new ModelRunner(this.session);
  readonly reader = new ModelReader(this.session);
  readonly turnId = this.session.room.prompt(OWNER, PROMPT).turnId;
  #said = 0;

  constructor() {
    this.runner.say({ type: "message.create", turnId: this.turnId });
    this.runner.connect();
  }

  run(entry: Step): void {
    const { runner, session, reader } = this;
    if (entry.kind === "say") for (let left = entry.count; left > 0; left--) runner.say(this.#event(entry.what));
    else if (entry.kind === "deliver") runner.deliver(entry.count);
    else if (entry.kind === "repeat") runner.repeat(entry.back, entry.count);
    else if (entry.kind === "overtake") runner.overtake(entry.skipped, entry.count);
    else if (entry.kind === "wait") session.pass(entry.ms);
    else if (entry.kind === "cut") runner.connect();
    else this.#lose(entry.kind);
    reader.listen();
  }

  /** The runner says how the turn ended, and everything arrives. */
  finish(): void {
    this.runner.say(finalize(this.turnId));
    while (this.runner.unsent > 0) this.runner.deliver(7);
    this.session.pass(1000);
    this.reader.listen();
  }

  #lose(kind: "crash" | "leave"): void {
    if (kind === "leave") {
      this.reader.leave();
    } else {
      this.runner.lose();
      this.reader.lose();
      this.session.crash();
      this.runner.connect();
    }
    this.reader.connect();
  }

  #event(what: string): UnknownEvent {
    const number = ++this.#said;
    const { turnId } = this;
    if (what === "title") return { type: "title", title: `Title ${number}` };
    if (what === "unknown") return { type: "mystery", number };
    if (what === "question") {
      return { type: "question", turnId, questionId: `ask-${number}`, kind: "text", prompt: "What?" };
    }
    if (what === "tool") {
      const status = number % 2 ? "running" : "completed";
      return { type: "message.part.tool-update", turnId, callId: `call-${number >> 1}`, toolName: "bash", status };
    }
    return text(turnId, `t${number} `);
  }
}

function foldOf(turnId: string, events: readonly UnknownEvent[]): readonly MessagePart[] {
  let parts: readonly MessagePart[] = [];
  for (const event of events) {
    if (event.turnId === turnId && isKnownEvent(event)) parts = reduceParts(parts, event);
  }
  return parts;
}

async function expectWhole({ session, runner, reader, turnId }: Scene): Promise<void> {
  const log = readLog(session.log);
  expectNoGaps(log);
  expect(log.filter((event) => !OWN_TYPES.has(event.type)).map(payloadOf)).toEqual(runner.said);
  expect(reader.view).toEqual(log);
  const stored = session.messages.find((message) => message.role === "assistant");
  expect(stored?.parts).toEqual(foldOf(turnId, runner.said));
  expect(await session.chat(PROMPT).text()).toBe(replayOf(turnId, log));
}

describe("a session whose process, runner and readers die at any time", () => {
  it("RUN3, RUN4, LOG4, LOG5, EV7: the log, every view and every replay end equal to what the runner said", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
        const scene = new Scene();
        for (const entry of steps) scene.run(entry);
        scene.finish();
        await expectWhole(scene);
      }),
      { numRuns: 150 },
    );
  }, 30_000);

  it.each(["text", "question", "title", "unknown"] as const)(
    "LOG4: a frame that begins with a %s and is followed by a crash at once loses nothing of its rest",
    async (what) => {
      const scene = new Scene();
      scene.run({ kind: "deliver", count: 1 });
      scene.run({ kind: "wait", ms: 250 });
      scene.run({ kind: "say", what, count: 1 });
      scene.run({ kind: "say", what: "text", count: 5 });
      scene.run({ kind: "deliver", count: 6 });
      scene.run({ kind: "crash" });
      scene.finish();
      await expectWhole(scene);
    },
  );

  it("LOG4: the first frame of a new generation is not acknowledged before it is stored", async () => {
    const scene = new Scene();
    scene.run({ kind: "crash" });
    scene.run({ kind: "say", what: "text", count: 5 });
    scene.run({ kind: "deliver", count: 6 });
    scene.run({ kind: "crash" });
    scene.finish();
    await expectWhole(scene);
  });
});
