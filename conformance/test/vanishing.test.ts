import { readdirSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Api } from "../src/api.ts";
import { Measures } from "../src/measures.ts";
import { Product } from "../src/product.ts";
import { expectUnharmed } from "../src/refusals.ts";
import { type Leaving, VanishingRequest, vanishingSocket } from "../src/vanishing-client.ts";

const CLIENTS = 200;
const SESSIONS = 20;
const LONGEST_STAY_MS = 400;
const SEED = Number(process.env.VANISHING_SEED ?? 20_261_115);
/** Descriptors that come and go by themselves: connections of these tests, files that SQLite opens now and then. */
const SLACK = 12;
const EVENTUALLY = { timeout: 20_000, interval: 100 };

let product: Product;
let api: Api;
let sessions: string[];

beforeAll(async () => {
  product = await Product.start({ TIMES: JSON.stringify({ graceMs: 200 }) });
  api = await Api.of(product);
  sessions = await Promise.all(Array.from({ length: SESSIONS }, () => api.createSession()));
  await Promise.all(sessions.map((sessionId) => expectUnharmed(api, sessionId)));
});

afterAll(() => product.destroy());

/** The same numbers for the same seed (mulberry32). */
function randomNumbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

function prompt(text: string): string {
  return JSON.stringify({ messages: [{ role: "user", content: text }] });
}

/** A client of some kind, connected; it leaves when it is told how. */
type Kind = (sessionId: string) => Promise<(leaving: Leaving) => void>;

const request = (method: string, path: string, body = "", sent?: number) => {
  const made = new VanishingRequest(api, method, path, body, sent);
  return Promise.resolve((leaving: Leaving) => made.vanish(leaving));
};
const chatPath = (sessionId: string) => `/api/sessions/${sessionId}/chat`;
const chatFrame = (type: string, more: object) =>
  JSON.stringify({ type, requestId: "r", id: "x", headers: {}, body: {}, ...more });

const KINDS: Kind[] = [
  (id) => request("POST", chatPath(id), prompt("/hang")),
  (id) => request("POST", chatPath(id), prompt("/stream 100000 5")),
  (id) => request("POST", chatPath(id), prompt("/stream 100000 0")),
  (id) => request("POST", chatPath(id), prompt("/approve")),
  (id) => request("POST", `${chatPath(id)}?onDisconnect=detach`, prompt("/stream 20 5")),
  (id) => request("POST", chatPath(id), prompt("/empty ".padEnd(100_000, "x")), 50_000),
  (id) => request("GET", `${chatPath(id)}/x/stream`),
  (id) => request("GET", `${chatPath(id)}/x/stream?startIndex=3`),
  (id) => request("GET", `${chatPath(id)}/x/stream?wait=2`),
  (id) => vanishingSocket(api, `/api/sessions/${id}/ws`, undefined),
  (id) => vanishingSocket(api, `/api/sessions/${id}/ws?since=0`, '{"type":"prompt","id":"v2","text":"/stream 20 5"}'),
  (id) => vanishingSocket(api, chatPath(id), chatFrame("send", JSON.parse(prompt("/stream 20 5")))),
  (id) => vanishingSocket(api, chatPath(id), chatFrame("resume", {})),
];

/** Questions keep their turns open for whoever comes next (DIS3), so somebody ends those turns. */
async function abortOpenQuestions(): Promise<void> {
  for (const sessionId of sessions) await api.request("POST", `/api/sessions/${sessionId}/abort`, {});
}

function openFiles(): number {
  return readdirSync(`/proc/${product.workerdPid()}/fd`).length;
}

async function balance(): Promise<Record<string, number>> {
  const measures = await Measures.of(product);
  const running = measures.get("turns_started") - measures.get("turns_ended");
  return { subscribers: measures.get("subscribers"), queue: measures.get("queue_length"), running };
}

const NOTHING = { subscribers: 0, queue: 0, running: 0 };

describe(`${CLIENTS} clients that come and vanish`, () => {
  it(`DIS1 DIS2 DIS3 DIS4 TURN3 WSC3: leave nothing behind (seed ${SEED})`, async () => {
    const random = randomNumbers(SEED);
    const files = openFiles();
    const processes = product.processes().sort();
    const before = await Measures.of(product);
    const clients = Array.from({ length: CLIENTS }, (_, index) => ({
      connect: KINDS[index % KINDS.length] as Kind,
      sessionId: String(sessions[random(SESSIONS)]),
      arrival: random(2000),
      stay: random(LONGEST_STAY_MS),
      leaving: (["destroy", "reset", "end"] as const)[random(3)] ?? "destroy",
    }));
    await Promise.all(
      clients.map(async ({ connect, sessionId, arrival, stay, leaving }) => {
        await delay(arrival);
        const leave = await connect(sessionId);
        await delay(stay);
        leave(leaving);
      }),
    );
    await expect
      .poll(async () => {
        await abortOpenQuestions();
        return balance();
      }, EVENTUALLY)
      .toEqual(NOTHING);
    const after = await Measures.of(product);
    expect(after.get("turns_started") - before.get("turns_started")).toBeGreaterThan(SESSIONS);
    expect(after.get("adapter_stream_aborts_client") - before.get("adapter_stream_aborts_client")).toBeGreaterThan(20);
    expect(after.get("adapter_request_errors")).toBe(before.get("adapter_request_errors"));
    for (const sessionId of sessions) {
      const view = await (await api.request("GET", `/api/sessions/${sessionId}`)).json();
      expect(view.status).toBe("ready");
      await expectUnharmed(api, sessionId);
    }
    expect(await balance()).toEqual(NOTHING);
    expect(product.processes().sort()).toEqual(processes);
    await expect.poll(openFiles, EVENTUALLY).toBeLessThanOrEqual(files + SLACK);
  });
});
