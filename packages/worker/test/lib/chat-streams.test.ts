import { KEEP_ALIVE } from "@agent-ops/ai-sdk/sse";
import type { LogPayload } from "@agent-ops/shared/events";
import { FIXED_TIMES } from "@agent-ops/shared/limits";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { chunksOf, chunksOfTurn, withoutTransient } from "../support/sse.ts";
import { SlowReader, StreamScene, settle } from "../support/stream-scene.ts";
import { anyTurn, TURN } from "../support/turn-events.ts";

const create: LogPayload = { type: "message.create", turnId: TURN };
const text = (delta: string, turnId = TURN): LogPayload => ({ type: "message.part.text-delta", turnId, delta });
const end: LogPayload = { type: "message.finalize", turnId: TURN, reason: "end_turn" };
const status: LogPayload = { type: "agentStatus", turnId: TURN, status: "thinking" };

/** What happens between two events: nothing, a write, or a write after which readers get to read. */
const pauses = fc.infiniteStream(fc.constantFrom("none", "flush", "settle"));

async function pause(scene: StreamScene, kind: string | undefined): Promise<void> {
  if (kind !== "none") scene.streams.flush();
  if (kind === "settle") await settle();
}

describe("late readers", () => {
  it("SSE6, TR12: whoever joins, whenever, gets the same chunks, but for the transient ones", async () => {
    await fc.assert(
      fc.asyncProperty(anyTurn, pauses, fc.integer({ min: 1, max: 8 }), async (events, between, page) => {
        const scene = new StreamScene(page);
        const first = await scene.openLive();
        const late: Response[] = [];
        for (const event of events) {
          late.push(scene.open());
          await pause(scene, between.next().value);
          scene.add(event);
          await pause(scene, between.next().value);
        }
        scene.streams.flush();
        late.push(scene.open());
        const all = chunksOfTurn(TURN, scene.log);
        expect(chunksOf(await first.text())).toEqual(all);
        for (const reader of late)
          expect(withoutTransient(chunksOf(await reader.text()))).toEqual(withoutTransient(all));
        expect(scene.streams.size).toBe(0);
      }),
      { numRuns: 120 },
    );
  });

  it("SSE8: for every N, what came before and what a resume after N chunks yields are the whole stream", async () => {
    await fc.assert(
      fc.asyncProperty(anyTurn, fc.nat({ max: 20 }), async (events, joined) => {
        const scene = new StreamScene();
        const logged = withoutTransient(chunksOfTurn(TURN, events));
        scene.tell(...events.slice(0, joined));
        const kind = { approvals: "question" as const, named: false, transient: false };
        const resumed = [...logged, undefined].map((_, index) => scene.open({ kind, from: { at: "index", index } }));
        await settle();
        for (const event of events.slice(joined)) scene.tell(event);
        for (const [index, reader] of resumed.entries()) {
          expect(chunksOf(await reader.text())).toEqual(logged.slice(index));
        }
      }),
      { numRuns: 60 },
    );
  });

  it("TR12: only a reader that is there when a transient chunk is said gets it", async () => {
    const scene = new StreamScene();
    const first = await scene.openLive();
    scene.tell(create, status);
    const second = await scene.openLive();
    scene.tell(status, end);
    const transient = async (response: Response) =>
      chunksOf(await response.text()).filter((chunk) => "transient" in chunk).length;
    expect([await transient(first), await transient(second)]).toEqual([2, 1]);
  });

  it("TR1, TURN2: a turn that has ended is replayed whole while the next one runs", async () => {
    const scene = new StreamScene();
    scene.tell(create, text("one"), end);
    const startSeq = scene.log.length;
    scene.tell({ type: "message.create", turnId: "turn-2" }, text("two", "turn-2"));
    expect(chunksOf(await scene.open().text())).toEqual(chunksOfTurn(TURN, scene.log));
    const other = scene.open({ turnId: "turn-2", startSeq });
    scene.tell({ type: "message.finalize", turnId: "turn-2", reason: "end_turn" });
    expect(chunksOf(await other.text())).toEqual(chunksOfTurn("turn-2", scene.log));
  });
});

describe("readers that wait", () => {
  it("TURN1, SSE14: a reader of a queued turn hears its position, then its turn from the start", async () => {
    const scene = new StreamScene();
    const waiting = await scene.openLive({ startSeq: undefined });
    scene.tell(text("of another turn", "turn-0"));
    scene.streams.tellQueue(TURN, 1);
    scene.streams.begin(TURN, scene.log.length);
    scene.tell(create, text("mine"), end);
    const [position, ...rest] = chunksOf(await waiting.text());
    expect(position).toEqual({ type: "data-queue", data: { position: 1 }, transient: true });
    expect(rest).toEqual(chunksOfTurn(TURN, scene.log));
  });

  it("SSE3: when its turn will never run it is told so, and others are not", async () => {
    const scene = new StreamScene();
    const running = await scene.openLive();
    const waiting = await scene.openLive({ turnId: "turn-2", startSeq: undefined });
    scene.streams.fail("turn-2", "Withdrawn.");
    expect(chunksOf(await waiting.text())).toEqual([{ type: "error", errorText: "Withdrawn." }]);
    scene.tell(create, end);
    expect(chunksOf(await running.text())).toEqual(chunksOfTurn(TURN, scene.log));
  });

  it("SSE5: after 3 s of silence a comment goes out, and again after every 3 s more", async () => {
    const scene = new StreamScene();
    const reader = new SlowReader(await scene.openLive());
    const waiting = new SlowReader(await scene.openLive({ turnId: "turn-2", startSeq: undefined }));
    scene.clock.advance(FIXED_TIMES.keepAliveMs - 1);
    scene.clock.advance(1);
    await Promise.all([reader.read(), waiting.read()]);
    expect([reader.text, waiting.text]).toEqual([KEEP_ALIVE, KEEP_ALIVE]);
    scene.clock.advance(2 * FIXED_TIMES.keepAliveMs);
    await reader.readUntil(() => reader.text.length >= 3 * KEEP_ALIVE.length);
    expect(reader.text).toBe(KEEP_ALIVE.repeat(3));
  });

  it("SSE5: whoever got something meanwhile is silent for 3 s from then on", async () => {
    const scene = new StreamScene();
    const reader = new SlowReader(await scene.openLive());
    scene.clock.advance(2000);
    scene.tell(create);
    scene.clock.advance(FIXED_TIMES.keepAliveMs - 1);
    scene.tell(text("x"));
    scene.clock.advance(FIXED_TIMES.keepAliveMs - 1);
    scene.tell(end);
    await reader.readUntil(() => reader.text.includes("[DONE]"));
    expect(reader.text).not.toContain(KEEP_ALIVE);
    expect(chunksOf(reader.text)).toEqual(chunksOfTurn(TURN, scene.log));
  });

  it("SSE5: comments are no chunks: a stream with many of them is the same stream", async () => {
    const scene = new StreamScene();
    const response = await scene.openLive();
    for (const event of [create, text("a"), text("b"), end]) {
      scene.clock.advance(FIXED_TIMES.keepAliveMs);
      scene.tell(event);
    }
    const body = await response.text();
    expect(body.split(KEEP_ALIVE)).toHaveLength(5);
    expect(chunksOf(body)).toEqual(chunksOfTurn(TURN, scene.log));
  });
});

describe("readers that leave", () => {
  it("DIS1: a reader that cancels leaves nothing behind and is reported once", async () => {
    const scene = new StreamScene();
    const ended: string[] = [];
    const onEnd = (by: string) => ended.push(by);
    const reader = new SlowReader(await scene.openLive({ onEnd }));
    const waiting = new SlowReader(await scene.openLive({ turnId: "turn-2", startSeq: undefined, onEnd }));
    scene.tell(create, text("a"));
    await Promise.all([reader.cancel(), waiting.cancel()]);
    expect(ended).toEqual(["client", "client"]);
    expect(scene.streams.size).toBe(0);
    scene.tell(text("b"));
    scene.streams.begin("turn-2", scene.log.length);
    scene.tell(end);
    scene.clock.advance(FIXED_TIMES.keepAliveMs);
    expect(scene.clock.timers).toBe(0);
    expect(ended).toHaveLength(2);
  });

  it("DIS1: one that leaves takes nothing away from the others", async () => {
    const scene = new StreamScene();
    const readers = await Promise.all([1, 2, 3].map(() => scene.openLive()));
    scene.tell(create, text("a"));
    await readers[1]?.body?.cancel();
    scene.tell(text("b"), end);
    for (const at of [0, 2]) expect(chunksOf((await readers[at]?.text()) ?? "")).toEqual(chunksOfTurn(TURN, scene.log));
  });

  it("TURN3: at the end of a turn nobody is left, and no timer", async () => {
    const scene = new StreamScene();
    const ended: string[] = [];
    const response = await scene.openLive({ onEnd: (by) => ended.push(by) });
    scene.tell(create, end);
    await response.text();
    expect([scene.streams.size, ended]).toEqual([0, ["session"]]);
    scene.clock.advance(FIXED_TIMES.keepAliveMs);
    expect(scene.clock.timers).toBe(0);
  });
});
