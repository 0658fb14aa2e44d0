import { abortAllDurableObjects, evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import type { UnknownEvent } from "@agent-ops/shared/events";
import { TIMES } from "@agent-ops/shared/limits";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { chunksOf, chunksOfTurn, withoutTransient } from "../support/sse.ts";
import { type Caller, newUser } from "./support/api.ts";
import { FakeHost, type Item, openReader, type TestSocket } from "./support/sockets.ts";

const create = (turnId: string): UnknownEvent => ({ type: "message.create", turnId });
const text = (turnId: string, delta: string): UnknownEvent => ({ type: "message.part.text-delta", turnId, delta });
const end = (turnId: string): UnknownEvent => ({ type: "message.finalize", turnId, reason: "end_turn" });

/** A reader's copy of the log: what came, less what it was told to drop. */
function viewOf(received: readonly Item[]): Item[] {
  const view: Item[] = [];
  for (const entry of received) {
    if (entry.type === "rewind") view.length = Number(entry.seq);
    else if ("seq" in entry && "ts" in entry) view.push(entry);
  }
  return view;
}

describe("a session's life", () => {
  let host: FakeHost;
  let ann: Caller;
  let session: string;

  beforeEach(async () => {
    host = await FakeHost.join();
    ann = newUser("ann");
    session = await ann.createSession();
  });
  afterEach(() => {
    vi.useRealTimers();
    host.leave();
  });

  const stub = () => env.SESSIONS.getByName(session);
  const pool = () => env.POOL.getByName("pool");

  async function begin() {
    const response = await ann.chat(session, "hello", "message-1");
    const runner = await host.runner(session);
    const turnId = await runner.prompt();
    runner.send(create(turnId));
    await runner.stored();
    return { response, runner, turnId };
  }

  it("TURN7: the alarm ends a turn whose agent was silent for 120 s, and its stream says so", async () => {
    const { response, runner } = await begin();
    expect(await runDurableObjectAlarm(stub())).toBe(true);
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + TIMES.idleMs + 1000 });
    expect(await runDurableObjectAlarm(stub())).toBe(true);
    const last = chunksOf(await response.text()).at(-1);
    expect(last).toEqual({ type: "error", errorText: expect.stringContaining("120 s") });
    await runner.socket.next("abort");
  });

  it("TURN5: the alarm ends a turn that no runner takes, and its stream says so", async () => {
    host.leave();
    await expect.poll(() => runInDurableObject(pool(), (_, state) => state.getWebSockets().length)).toBe(0);
    const response = await ann.chat(session, "hello");
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + TIMES.noRunnerMs + 1000 });
    expect(await runDurableObjectAlarm(stub())).toBe(true);
    const last = chunksOf(await response.text()).at(-1);
    expect(last).toEqual({ type: "error", errorText: expect.stringContaining("runner") });
  });

  it("TURN5: the alarm ends a turn whose runner went away", async () => {
    const { response, runner } = await begin();
    runner.socket.close();
    await expect.poll(() => runInDurableObject(stub(), (_, state) => state.getWebSockets().length)).toBe(0);
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + TIMES.runnerLostMs + 1000 });
    expect(await runDurableObjectAlarm(stub())).toBe(true);
    expect(chunksOf(await response.text()).at(-1)).toMatchObject({ type: "error" });
  });

  it("LOG5, RUN4: a session that was put to sleep wakes with its runner and its readers, and loses nothing", async () => {
    const reader = await openReader(session, ann.user, "?since=0");
    reader.send({ type: "prompt", id: "p1", text: "hello" });
    const runner = await host.runner(session);
    const turnId = await runner.prompt();
    runner.send(create(turnId), text(turnId, "before "));
    await runner.stored();
    await evictDurableObject(stub());
    runner.send(text(turnId, "after"), end(turnId));
    await idle(reader);
    const view = viewOf(reader.received);
    expect(view.map((event) => event.seq)).toEqual(view.map((_, index) => index + 1));
    expect(view.flatMap((event) => event.delta ?? [])).toEqual(["before ", "after"]);
    reader.close();
  });

  it("LOG4, LOG5, RUN3: a session whose process dies gets the rest again; readers and replays equal the log", async () => {
    const { runner, turnId } = await begin();
    const reader = await openReader(session, ann.user, "?since=0");
    const { generation } = await reader.next("hello");
    const events = ["a", "b", "c"].map((delta) => text(turnId, delta));
    runner.send(...events);
    await reader.until((received) => received.find((entry) => entry.delta === "c"));
    await abortAllDurableObjects();
    await Promise.all([reader.untilClosed(), runner.socket.untilClosed()]);

    const seen = viewOf(reader.received);
    const back = await openReader(session, ann.user, `?since=${seen.length}&generation=${generation}`);
    const again = await host.connect(session, runner.epoch);
    const stored = Number((await again.socket.next("ack")).seq);
    const all = [create(turnId), ...events, end(turnId)];
    again.socket.send({ epoch: again.epoch, seq: stored + 1, events: all.slice(stored) });
    await idle(back);
    const fresh = await openReader(session, ann.user, "?since=0");
    await idle(fresh);
    const log = viewOf(fresh.received);
    expect(log.flatMap((event) => event.delta ?? [])).toEqual(["a", "b", "c"]);
    expect(viewOf([...seen, ...back.received])).toEqual(log);
    const replay = await ann.chat(session, "hello", "message-1");
    expect(chunksOf(await replay.text())).toEqual(withoutTransient(chunksOfTurn(turnId, all)));
    for (const socket of [back, fresh]) socket.close();
  });

  it("TURN4: a queue survives the process", async () => {
    const { runner, turnId } = await begin();
    const reader = await openReader(session, ann.user);
    reader.send({ type: "prompt", id: "p2", text: "next" });
    const { turnId: second } = await reader.next("accepted");
    await abortAllDurableObjects();
    const again = await host.connect(session, runner.epoch);
    again.socket.send({ epoch: again.epoch, seq: 2, events: [end(turnId)] });
    expect((await again.socket.next("prompt")).turnId).toBe(second);
  });
});

/** Waits until the session says that nothing runs. */
function idle(reader: TestSocket): Promise<Item> {
  return reader.until((received) => received.find((entry) => entry.type === "status" && entry.status === "ready"));
}
