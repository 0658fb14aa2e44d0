import type { ClientBoundEvent, LogEvent } from "@agent-ops/shared/events";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseClientEvent } from "../src/lib/client-event.ts";
import { addPending, emptySession, type SessionState } from "../src/lib/session-model.ts";
import { reduceSession } from "../src/lib/session-state.ts";
import { emptyInit, eventLog, initAfter, session } from "./event-script.ts";

const replay = (events: readonly ClientBoundEvent[], from: SessionState = emptySession) =>
  events.reduce(reduceSession, from);

const openQuestions = (state: SessionState) =>
  Object.values(state.questions)
    .filter((asked) => asked.resolution === undefined)
    .map((asked) => asked.question);

/** What two readers must agree on, whenever they came in. */
const view = (state: SessionState) => ({
  seq: state.seq,
  session: state.session,
  messages: state.messages,
  activeTurnId: state.activeTurnId,
  queue: state.queue,
  open: openQuestions(state),
});

describe("a log, read from anywhere", () => {
  test("LOG6: an init and what follows it equal the whole log", () => {
    fc.assert(
      fc.property(eventLog, fc.nat(), (log, cut) => {
        const at = cut % (log.length + 1);
        const whole = replay(log, replay([emptyInit]));
        const late = replay([initAfter(log.slice(0, at)), ...log.slice(at)]);
        expect(view(late)).toEqual(view(whole));
      }),
      { numRuns: 400 },
    );
  });

  test("EV7: messages are the fold of their turns' events", () => {
    fc.assert(
      fc.property(eventLog, (log) => {
        expect(replay(log, replay([emptyInit])).messages).toEqual(initAfter(log).messages);
      }),
    );
  });

  test("events that were already seen change nothing", () => {
    fc.assert(
      fc.property(eventLog, fc.infiniteStream(fc.nat()), (log, picks) => {
        const start = replay([emptyInit]);
        const repeated = log.flatMap((event, at) => [event, ...log.slice(picks.next().value % (at + 1), at + 1)]);
        expect(replay(repeated, start)).toEqual(replay(log, start));
      }),
    );
  });

  test("what went over the wire reads the same", () => {
    fc.assert(
      fc.property(eventLog, (log) => {
        const sent: unknown[] = JSON.parse(JSON.stringify(log));
        const read = sent.flatMap((raw) => parseClientEvent(raw) ?? []);
        expect(view(replay(read, replay([emptyInit])))).toEqual(view(replay(log, replay([emptyInit]))));
      }),
    );
  });
});

describe("events that need care", () => {
  const start = replay([emptyInit]);
  const log = (...payloads: { type: string; [key: string]: unknown }[]): LogEvent[] =>
    payloads.map((payload, at) => ({ ...payload, seq: at + 1, ts: at }));

  test("EV3: an unknown type only moves the cursor", () => {
    expect(replay(log({ type: "from-the-future", x: 1 }), start)).toEqual({ ...start, seq: 1 });
  });

  test("EV4: a known type with a wrong shape keeps its number and says nothing", () => {
    const event = parseClientEvent({ type: "message.part.text-delta", delta: 7, seq: 1, ts: 0 });
    expect(event).toEqual({ type: "malformed", seq: 1, ts: 0 });
    expect(parseClientEvent({ type: "from-the-future" })).toBeUndefined();
    expect(parseClientEvent("nonsense")).toBeUndefined();
  });

  test("LOG5: a rewind changes nothing until the init that follows it", () => {
    const ahead = replay(log({ type: "message.part.text-delta", turnId: "t", delta: "lost" }), start);
    expect(reduceSession(ahead, { type: "rewind", generation: 2, seq: 0 })).toBe(ahead);
    const back = reduceSession(ahead, { ...emptyInit, generation: 2 });
    expect(view(back)).toEqual(view(start));
    expect(back.generation).toBe(2);
  });

  test("TURN3: what comes after the end of a turn does not change its message", () => {
    const events = log(
      { type: "message.create", turnId: "t" },
      { type: "message.finalize", turnId: "t", reason: "end_turn" },
      { type: "message.part.text-delta", turnId: "t", delta: "late" },
      { type: "complete" },
    );
    const state = replay(events, start);
    expect(state.messages.at(-1)?.parts).toEqual([{ type: "finish", reason: "end_turn" }]);
    expect(state.activeTurnId).toBeUndefined();
  });

  test("TURN8: an error that names its turn ends it, one that does not is a notice", () => {
    const events = log(
      { type: "message.create", turnId: "t" },
      { type: "error", message: "The disk is slow." },
      { type: "error", turnId: "t", message: "The agent died." },
    );
    const state = replay(events, start);
    expect(state.notices.map((notice) => notice.text)).toEqual(["The disk is slow."]);
    expect(state.messages.at(-1)?.parts).toEqual([
      { type: "error", message: "The agent died." },
      { type: "finish", reason: "error" },
    ]);
    expect(state.activeTurnId).toBeUndefined();
  });

  test("people, titles and statuses are taken over", () => {
    const people = [{ userId: "bob", connections: 2 }];
    const state = replay(
      [
        { type: "user.joined", userId: "bob", people },
        ...log({ type: "title", title: "Second" }, { type: "status", status: "hibernated" }),
      ],
      start,
    );
    expect(state.people).toEqual(people);
    expect(state.session).toEqual({ ...session, title: "Second", status: "hibernated" });
  });
});

describe("TURN2: prompts of this page", () => {
  const sent = addPending(replay([emptyInit]), "p1", { text: "Hello" });
  const message = { id: "p1", role: "user", turnId: "t1", parts: [], createdAt: 0 } as const;

  test("stay until the log shows them", () => {
    const accepted = reduceSession(sent, { type: "accepted", promptId: "p1", turnId: "t1", queued: false });
    expect(accepted.pending).toEqual([{ id: "p1", text: "Hello", state: "accepted" }]);
    const shown = reduceSession(accepted, { type: "message", message: { ...message, parts: [] }, seq: 1, ts: 0 });
    expect(shown.pending).toEqual([]);
    expect(shown.messages).toHaveLength(1);
  });

  test("move to the queue", () => {
    const items = [{ promptId: "p1", turnId: "t1", userId: "alice", text: "Hello" }];
    const queued = reduceSession(sent, { type: "queue.state", items, seq: 1, ts: 0 });
    expect(queued.pending).toEqual([]);
    expect(queued.queue).toEqual(items);
  });

  test("carry the error that refused them", () => {
    const refused = reduceSession(sent, { type: "error", code: "queue_full", message: "Full.", re: "p1" });
    expect(refused.pending).toEqual([{ id: "p1", text: "Hello", state: "failed", error: "Full." }]);
    expect(refused.notices).toEqual([]);
  });

  test("survive an init that does not know them, and not one that does", () => {
    expect(reduceSession(sent, emptyInit).pending).toHaveLength(1);
    expect(reduceSession(sent, { ...emptyInit, messages: [{ ...message, parts: [] }] }).pending).toEqual([]);
  });
});
