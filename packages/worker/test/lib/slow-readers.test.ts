import type { LogPayload } from "@agent-ops/shared/events";
import { LIMITS } from "@agent-ops/shared/limits";
import { describe, expect, it } from "vitest";
import { chunksOf, chunksOfTurn, replayOf } from "../support/sse.ts";
import { SlowReader, StreamScene, settle } from "../support/stream-scene.ts";
import { TURN } from "../support/turn-events.ts";

const create: LogPayload = { type: "message.create", turnId: TURN };
const text = (delta: string): LogPayload => ({ type: "message.part.text-delta", turnId: TURN, delta });
const end: LogPayload = { type: "message.finalize", turnId: TURN, reason: "end_turn" };
const KILOBYTES_10 = "x".repeat(10_000);
const SLOW = { type: "error", errorText: expect.stringContaining("slow") };

/** The bytes that the turn's stream has so far. */
function bytesSoFar(scene: StreamScene): number {
  return replayOf(TURN, scene.log).length - "data: [DONE]\n\n".length;
}

/** A delta whose frame takes exactly this many bytes, in an open text block. */
function deltaOfFrame(scene: StreamScene, bytes: number): LogPayload {
  const before = bytesSoFar(scene);
  const probe = new StreamScene();
  probe.add(...scene.log, text("x"));
  return text("x".repeat(bytes - (bytesSoFar(probe) - before) + 1));
}

describe("SSE7: a reader that does not read", () => {
  it("SSE7: may leave exactly 1 MB, and is told and ended with one byte more", async () => {
    for (const beyond of [0, 1]) {
      const scene = new StreamScene();
      const response = await scene.openLive();
      scene.tell(create, text("a"));
      scene.tell(deltaOfFrame(scene, LIMITS.unreadBytes - bytesSoFar(scene) + beyond));
      expect(bytesSoFar(scene)).toBe(LIMITS.unreadBytes + beyond);
      expect(scene.streams.size).toBe(beyond ? 0 : 1);
      if (!beyond) await response.body?.cancel();
      else expect(chunksOf(await response.text()).at(-1)).toEqual(SLOW);
    }
  });

  it("SSE7: is cut after 1 MB of live bytes while 20 others finish", async () => {
    const scene = new StreamScene();
    const slow = await scene.openLive();
    const others = await Promise.all(Array.from({ length: 20 }, () => scene.openLive()));
    const bodies = others.map((response) => response.text());
    scene.tell(create);
    for (let count = 0; count < 300; count++) {
      scene.tell(text(KILOBYTES_10));
      await settle();
    }
    expect(scene.streams.size).toBe(20);
    scene.tell(end);
    const whole = chunksOfTurn(TURN, scene.log);
    for (const body of bodies) expect(chunksOf(await body)).toEqual(whole);
    const cut = await slow.text();
    expect(cut.length).toBeLessThanOrEqual(LIMITS.unreadBytes + 1000);
    expect(cut.length).toBeGreaterThan(LIMITS.unreadBytes - 2 * KILOBYTES_10.length);
    const chunks = chunksOf(cut);
    expect(chunks.at(-1)).toEqual(SLOW);
    expect(chunks.slice(0, -1)).toEqual(whole.slice(0, chunks.length - 1));
  });

  it("SSE7: one that reads slowly, but reads, is left alone", async () => {
    const scene = new StreamScene();
    const reader = new SlowReader(await scene.openLive());
    scene.tell(create);
    for (let count = 0; count < 300; count++) {
      scene.tell(text(KILOBYTES_10));
      if (count > 50) await reader.read();
    }
    scene.tell(end);
    await reader.readUntil(() => reader.text.includes("[DONE]"));
    expect(chunksOf(reader.text)).toEqual(chunksOfTurn(TURN, scene.log));
  });

  it("SSE7: all readers together may leave 32 MB; above that the slowest goes, and the others stay", async () => {
    const scene = new StreamScene();
    const readers = await Promise.all(Array.from({ length: 40 }, () => scene.openLive()));
    scene.tell(create);
    for (let count = 0; count < 85; count++) scene.tell(text(KILOBYTES_10));
    const unread = scene.streams.size * bytesSoFar(scene);
    expect(scene.streams.size).toBeLessThan(40);
    expect(scene.streams.size).toBeGreaterThan(30);
    expect(unread).toBeLessThanOrEqual(LIMITS.sessionUnreadBytes + LIMITS.unreadBytes);
    scene.tell(end);
    const last = await Promise.all(readers.map(async (reader) => chunksOf(await reader.text()).at(-1)?.type));
    expect(last.filter((type) => type === "error")).toHaveLength(40 - last.filter((type) => type === "finish").length);
    expect(last).toContain("finish");
  });
});

describe("SSE7: replay", () => {
  const PAGE = 5;

  function longTurn(): StreamScene {
    const scene = new StreamScene(PAGE);
    scene.tell(create, ...Array.from({ length: 300 }, () => text(KILOBYTES_10)));
    return scene;
  }

  it("SSE7: is pulled at the reader's pace: the session reads ahead by little", async () => {
    const scene = longTurn();
    const reader = new SlowReader(scene.open());
    const ahead = () => scene.replayed * KILOBYTES_10.length - reader.text.length;
    await settle();
    const bound = 64 * 1024 + 2 * PAGE * KILOBYTES_10.length;
    expect(ahead()).toBeLessThanOrEqual(bound);
    while (scene.replayed < scene.log.length && (await reader.read())) {
      await settle();
      expect(ahead()).toBeLessThanOrEqual(bound);
    }
    scene.tell(end);
    await reader.readUntil(() => reader.text.includes("[DONE]"));
    expect(chunksOf(reader.text)).toEqual(chunksOfTurn(TURN, scene.log));
  });

  it("SSE7: does not count: a reader that has 3 MB of it before it is not cut by live bytes", async () => {
    const scene = longTurn();
    const reader = new SlowReader(await scene.openLive());
    for (let count = 0; count < 150; count++) scene.tell(text(KILOBYTES_10));
    expect(scene.streams.size).toBe(1);
    scene.tell(end);
    await reader.readUntil(() => reader.text.includes("[DONE]"));
    expect(chunksOf(reader.text)).toEqual(chunksOfTurn(TURN, scene.log));
  });

  it("SSE7: what was left of it counts no more once it was read: then 1 MB of live bytes is the limit again", async () => {
    const scene = new StreamScene(1000);
    scene.tell(create, ...Array.from({ length: 60 }, () => text(KILOBYTES_10)));
    const reader = new SlowReader(await scene.openLive());
    const replay = bytesSoFar(scene);
    await reader.readUntil(() => reader.text.length >= replay);
    for (let count = 0; count < 120; count++) scene.tell(text(KILOBYTES_10));
    expect(scene.streams.size).toBe(0);
  });
});
