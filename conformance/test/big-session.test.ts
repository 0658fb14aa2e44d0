import { readFileSync } from "node:fs";
import type { InitEvent } from "@agent-ops/shared/events";
import { LIMITS } from "@agent-ops/shared/limits";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Api, streamedText } from "../src/api.ts";
import { textOf } from "../src/clients/create-client.ts";
import { FakeHost } from "../src/fake-runner.ts";
import { FrameSocket } from "../src/frame-socket.ts";
import { growHistory } from "../src/grow-history.ts";
import { Product } from "../src/product.ts";
import { words } from "../src/scene.ts";
import { V2Reader } from "../src/v2-reader.ts";

const AGENT = "big";
const MESSAGES = 10_000;
const OPEN_MS = 300;
const OPENINGS = 5;
const DELTAS = 100_000;
/** LIM6 */
const TURN_MB = 100;
const FRAME = 500;
/** The test's own host says nothing of itself between its sessions. */
const ENV = { TIMES: JSON.stringify({ hostSilentMs: 600_000 }) };

let product: Product;
let host: FakeHost;
beforeAll(async () => {
  product = await Product.start(ENV);
  host = await FakeHost.join(product, "big", AGENT);
});
afterAll(async () => {
  host.leave();
  await product.destroy();
});

async function createSession(api: Api): Promise<string> {
  return (await (await api.request("POST", "/api/sessions", { agent: AGENT })).json()).id;
}

/** A session as it is after years, in a product that has just been started. */
async function fill(messages: number): Promise<{ api: Api; sessionId: string }> {
  const first = await Api.of(product);
  const sessionId = await first.createSession();
  for (const prompt of ["Hello", "/think", "/tools 2", "/stream 50 0", "/steps 2"]) {
    await streamedText(await first.chat(sessionId, prompt));
  }
  await product.stop();
  growHistory(product.data, sessionId, messages);
  product = await Product.start(ENV, product.data);
  return { api: await Api.of(product), sessionId };
}

/** How long it takes from nothing to a screen full of messages, in ms. */
async function timed<T>(work: () => Promise<T>): Promise<{ ms: number; value: T }> {
  const start = performance.now();
  const value = await work();
  return { ms: performance.now() - start, value };
}

async function openSession(api: Api, sessionId: string): Promise<InitEvent> {
  const socket = await FrameSocket.open(api, `/api/sessions/${sessionId}/ws`);
  const [frame = "[]"] = await socket.until((text) => text.includes('"init"'));
  socket.socket.terminate();
  return JSON.parse(frame)[0];
}

/** What a process has in memory, in MB. */
function memoryOf(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) / 1024;
}

/** All messages, from the newest page back. */
async function readBack(api: Api, sessionId: string): Promise<string[]> {
  const ids: string[] = [];
  for (let before: number | undefined = Number.MAX_SAFE_INTEGER; before !== undefined; ) {
    const path: string = `/api/sessions/${sessionId}/messages?format=v2&limit=200&before=${before}`;
    const page: { messages: { id: string }[]; before?: number } = await (await api.request("GET", path)).json();
    ids.unshift(...page.messages.map(({ id }) => id));
    before = page.before;
  }
  return ids;
}

describe("a big session", () => {
  it("LIM6: a turn of 100,000 deltas with readers of every kind stays within its memory", async () => {
    const api = await Api.of(product);
    const sessionId = await createSession(api);
    const reader = new V2Reader(api, sessionId);
    await reader.connect();
    const stream = await api.chat(sessionId, "Go on");
    const text = streamedText(stream);
    const runner = await host.open(sessionId);
    const { turnId } = await runner.command("prompt");
    await runner.send(1, { type: "message.create", turnId });
    const pid = product.workerdPid();
    const before = memoryOf(pid);
    let peak = before;
    const started = performance.now();
    for (let sent = 0; sent < DELTAS; sent += FRAME) {
      const deltas = Array.from({ length: FRAME }, (_, index) => `t${sent + index} `);
      await runner.send(2 + sent, ...deltas.map((delta) => ({ type: "message.part.text-delta", turnId, delta })));
      peak = Math.max(peak, memoryOf(pid));
    }
    await runner.send(2 + DELTAS, { type: "message.finalize", turnId, reason: "end_turn" });
    expect((await text) === words(DELTAS)).toBe(true);
    await reader.untilTurnEnd();
    peak = Math.max(peak, memoryOf(pid));
    const [, reply] = await api.history(sessionId);
    expect(reply && textOf(reply) === words(DELTAS)).toBe(true);
    process.stdout.write(
      `${DELTAS} deltas in ${seconds(performance.now() - started)}: ` +
        `${Math.round(before)} MB before, ${Math.round(peak - before)} MB more at the most\n`,
    );
    expect(peak - before).toBeLessThan(TURN_MB);
    reader.close();
  });

  it("LOG10: with 10,000 messages opens in a moment, over the socket and over HTTP, and is read back page by page", async () => {
    const { api, sessionId } = await fill(MESSAGES);
    const sockets: number[] = [];
    const pages: number[] = [];
    for (let count = 0; count < OPENINGS; count++) {
      const opened = await timed(() => openSession(api, sessionId));
      expect(opened.value.messages).toHaveLength(LIMITS.initMessages);
      expect(opened.value.before).toBe(MESSAGES - LIMITS.initMessages + 1);
      sockets.push(opened.ms);
      pages.push((await timed(() => api.history(sessionId))).ms);
    }
    const reading = await timed(() => readBack(api, sessionId));
    expect([reading.value.length, new Set(reading.value).size]).toEqual([MESSAGES, MESSAGES]);
    expect(reading.value.slice(0, 10)).toEqual(reading.value.slice(10, 20).map((id) => id.replace(/-1$/, "")));
    const [cold = 0, ...warm] = sockets;
    process.stdout.write(
      `${MESSAGES} messages: opened in ${Math.round(cold)} ms cold, ` +
        `${Math.round(Math.min(...warm))} ms warm, first page ${Math.round(Math.min(...pages))} ms, ` +
        `all pages ${seconds(reading.ms)}\n`,
    );
    expect(Math.min(...sockets)).toBeLessThan(OPEN_MS);
    expect(Math.min(...pages)).toBeLessThan(OPEN_MS);
  });
});

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}
