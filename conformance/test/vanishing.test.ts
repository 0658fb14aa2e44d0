import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { Api } from "../src/api.ts";
import { Measures } from "../src/measures.ts";
import { Product } from "../src/product.ts";
import { expectUnharmed } from "../src/refusals.ts";
import { V2Reader } from "../src/v2-reader.ts";
import { type Leaving, VanishingRequest, vanishingSocket } from "../src/vanishing-client.ts";

const CLIENTS = 200;
const SESSIONS = 20;
const LONGEST_STAY_MS = 400;
const SEED = Number(process.env.VANISHING_SEED ?? 20_261_115);
/** Descriptors that come and go by themselves: connections of these tests, files that SQLite opens now and then. */
const SLACK = 12;
/** A machine that is busy with other things takes its time to close two hundred connections. */
const EVENTUALLY = { timeout: 45_000, interval: 100 };
const PATIENCE_MS = 180_000;

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

function openFiles(pid: number): number {
  return readdirSync(`/proc/${pid}/fd`).length;
}

async function balance(): Promise<Record<string, number>> {
  const measures = await Measures.of(product);
  const running = measures.get("turns_started") - measures.get("turns_ended");
  return { subscribers: measures.get("subscribers"), queue: measures.get("queue_length"), running };
}

const NOTHING = { subscribers: 0, queue: 0, running: 0 };

describe(`${CLIENTS} clients that come and vanish`, () => {
  it(`DIS1 DIS2 DIS3 DIS4 TURN3 WSC3: leave nothing behind (seed ${SEED})`, { timeout: PATIENCE_MS }, async () => {
    const random = randomNumbers(SEED);
    const pid = product.workerdPid();
    const files = openFiles(pid);
    const processes = product.processes().length;
    const before = await Measures.of(product);
    const clients = Array.from({ length: CLIENTS }, (_, index) => ({
      connect: KINDS[index % KINDS.length] as Kind,
      sessionId: String(sessions[random(SESSIONS)]),
      arrival: random(2000),
      stay: random(LONGEST_STAY_MS),
      leaving: random(2) === 0 ? ("close" as const) : ("reset" as const),
    }));
    await Promise.all(
      clients.map(async ({ connect, sessionId, arrival, stay, leaving }) => {
        await delay(arrival);
        const leave = await connect(sessionId);
        await delay(stay);
        leave(leaving);
      }),
    );
    await expect.poll(balance, EVENTUALLY).toEqual(NOTHING);
    const after = await Measures.of(product);
    expect(after.get("turns_started") - before.get("turns_started")).toBeGreaterThan(SESSIONS);
    expect(after.get("adapter_stream_aborts_client") - before.get("adapter_stream_aborts_client")).toBeGreaterThan(20);
    const log = readFileSync(join(product.data, "private/agent-ops.log"), "utf8");
    expect(log.split("\n").filter((line) => line.includes('"level":"error"'))).toEqual([]);
    for (const sessionId of sessions) {
      const view = await (await api.request("GET", `/api/sessions/${sessionId}`)).json();
      expect(view.status).toBe("ready");
      await expectUnharmed(api, sessionId);
    }
    expect(await balance()).toEqual(NOTHING);
    await expect.poll(() => product.processes().length, EVENTUALLY).toBe(processes);
    await expect.poll(() => openFiles(pid), EVENTUALLY).toBeLessThanOrEqual(files + SLACK);
  });
});

describe("a client that vanishes while nothing is said", () => {
  /** Whoever left last may still be leaving. */
  beforeEach(() => expect.poll(balance, EVENTUALLY).toEqual(NOTHING), PATIENCE_MS);

  /** A silent turn that one socket watches, and what the measures show beside it. */
  async function hangingTurn(): Promise<{ sessionId: string; readers(): Promise<number>; end(): Promise<void> }> {
    const sessionId = await api.createSession();
    const { subscribers: before = 0 } = await balance();
    const reader = new V2Reader(api, sessionId);
    await reader.connect();
    reader.send({ type: "prompt", id: "hang", text: "/hang" });
    await reader.until(({ events }) => events.some(({ type }) => type === "agentStatus"));
    const readers = async () => Number((await balance()).subscribers) - before - 1;
    const end = async () => {
      reader.send({ type: "abort" });
      await reader.untilTurnEnd();
      reader.close();
    };
    return { sessionId, readers, end };
  }

  it.each(["close", "reset"] as const)("SSE6 DIS1: as a reader of a silent turn (%s)", async (leaving) => {
    const { sessionId, readers, end } = await hangingTurn();
    const client = new VanishingRequest(api, "GET", `${chatPath(sessionId)}/x/stream`);
    await expect.poll(readers).toBe(1);
    client.vanish(leaving);
    await expect.poll(readers).toBe(0);
    await end();
  });

  it.each(["close", "reset"] as const)(
    "SSE9: as one that waits for a turn, which then begins (%s)",
    async (leaving) => {
      const sessionId = await api.createSession();
      const requests = async () => (await Measures.of(product)).get("adapter_request_count");
      const before = await requests();
      const { subscribers } = await balance();
      const client = new VanishingRequest(api, "GET", `${chatPath(sessionId)}/x/stream?wait=25`);
      await expect.poll(requests).toBe(before + 1);
      client.vanish(leaving);
      await client.closed;
      const reader = new V2Reader(api, sessionId);
      await reader.connect();
      reader.send({ type: "prompt", id: "hang", text: "/hang" });
      await reader.until(({ events }) => events.some(({ type }) => type === "agentStatus"));
      await expect.poll(async () => (await balance()).subscribers).toBe(Number(subscribers) + 1);
      reader.send({ type: "abort" });
      await reader.untilTurnEnd();
      reader.close();
    },
  );

  it.each(["close", "reset"] as const)("WSC3: as a chat socket (%s)", async (leaving) => {
    const { sessionId, readers, end } = await hangingTurn();
    const leave = await vanishingSocket(api, chatPath(sessionId), chatFrame("resume", {}));
    await expect.poll(readers).toBe(1);
    leave(leaving);
    await expect.poll(readers).toBe(0);
    await end();
  });
});
