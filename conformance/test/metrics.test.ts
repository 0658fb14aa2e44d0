import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Api, sseChunks } from "../src/api.ts";
import { FakeHost, type FakeRunner } from "../src/fake-runner.ts";
import { FrameSocket } from "../src/frame-socket.ts";
import { Measures } from "../src/measures.ts";
import { Product, ROOT } from "../src/product.ts";
import { expectRefusal } from "../src/refusals.ts";
import { V2Reader } from "../src/v2-reader.ts";

const TIMES = JSON.stringify({ graceMs: 100, noRunnerMs: 500 });

let product: Product;
let api: Api;

beforeAll(async () => {
  product = await Product.start({ TIMES });
  api = await Api.of(product);
});

afterAll(() => product.destroy());

async function measure(name: string): Promise<number> {
  return (await Measures.of(product)).get(name);
}

/** By how much a measure moved; `moved` waits until it has, for what the session does in its own time. */
async function watch(name: string): Promise<{ moved(by: number): Promise<void> }> {
  const before = await measure(name);
  const moved = (by: number) => expect.poll(async () => (await measure(name)) - before).toBe(by);
  return { moved };
}

/** The measures that MET1 names. */
function namedMeasures(): string[] {
  const protocol = readFileSync(join(ROOT, "PROTOCOL.md"), "utf8");
  const rule = /\*\*MET1\*\*([\s\S]*?)each with the prefix/.exec(protocol)?.[1] ?? "";
  return [...rule.matchAll(/`([a-z_]+)`/g)].flatMap((match) => match[1] ?? []);
}

describe("measures", () => {
  it("MET1: all of them are there from the start, with 0, so that a first increase can be seen", async () => {
    const measures = await Measures.of(product);
    expect(namedMeasures().length).toBeGreaterThan(10);
    for (const name of namedMeasures()) {
      expect(measures.get(name.endsWith("_ms") ? `${name}_count` : name)).toBe(0);
    }
  });

  it("MET1: adapter_request_count counts each request to the chat routes once, and no other", async () => {
    const sessionId = await api.createSession();
    const count = await watch("adapter_request_count");
    await (await api.chat(sessionId, "/empty")).text();
    await count.moved(1);
    await api.request("POST", `/api/sessions/${sessionId}/chat`, "{");
    await api.request("GET", `/api/sessions/${sessionId}/chat/x/stream`);
    await (await api.request("POST", "/api/chat", { id: "c", messages: [{ role: "user", content: "/empty" }] })).text();
    await api.request("GET", "/api/chat/c/stream");
    await api.request("GET", "/api/sessions");
    await api.request("GET", `/api/sessions/${sessionId}/messages`);
    await count.moved(5);
  });

  it("MET1: adapter_request_errors and its rate move with a stream that fails, not with a client's mistakes", async () => {
    const sessionId = await api.createSession();
    const errors = await watch("adapter_request_errors");
    await api.request("POST", `/api/sessions/${sessionId}/chat`, "{");
    await errors.moved(0);
    const turn = await api.chat(sessionId, "/hang");
    await api.request("DELETE", `/api/sessions/${sessionId}`);
    expect(sseChunks(await turn.text()).at(-1)?.type).toBe("error");
    await errors.moved(1);
    const measures = await Measures.of(product);
    const rate = measures.get("adapter_request_errors") / measures.get("adapter_request_count");
    expect(measures.get("adapter_request_error_rate")).toBe(rate);
  });

  it("MET1: adapter_latency_ttfb_ms takes the first byte of each stream", async () => {
    const sessionId = await api.createSession();
    const count = await watch("adapter_latency_ttfb_ms_count");
    await (await api.chat(sessionId, "/stream 20 0")).text();
    await count.moved(1);
    const measures = await Measures.of(product);
    const buckets = measures.names.filter((name) => name.startsWith("adapter_latency_ttfb_ms_bucket"));
    const values = buckets.map((name) => measures.get(name));
    expect(values).toEqual(values.toSorted((a, b) => a - b));
    expect(values.at(-1)).toBe(measures.get("adapter_latency_ttfb_ms_count"));
  });

  it("MET1: adapter_latency_turn_duration_ms takes how long each turn took", async () => {
    const sessionId = await api.createSession();
    const before = await Measures.of(product);
    await (await api.chat(sessionId, "/stream 11 20")).text();
    const after = await Measures.of(product);
    const by = (name: string) => after.get(name) - before.get(name);
    expect(by("adapter_latency_turn_duration_ms_count")).toBe(1);
    expect(by("adapter_latency_turn_duration_ms_sum")).toBeGreaterThanOrEqual(200);
    expect(by("adapter_latency_turn_duration_ms_sum")).toBeLessThan(10_000);
  });

  it("MET1: turns_started and turns_ended count turns, however they end", async () => {
    const sessionId = await api.createSession();
    const [started, ended] = [await watch("turns_started"), await watch("turns_ended")];
    await (await api.chat(sessionId, "/empty")).text();
    await (await api.chat(sessionId, "/error")).text();
    const hanging = await api.chat(sessionId, "/hang");
    await started.moved(3);
    await ended.moved(2);
    await api.request("POST", `/api/sessions/${sessionId}/abort`, {});
    await hanging.text();
    await ended.moved(3);
  });

  it("MET1: queue_length goes up with each prompt that waits, and down as they run or are withdrawn", async () => {
    const sessionId = await api.createSession();
    const reader = new V2Reader(api, sessionId);
    await reader.connect();
    const queue = await watch("queue_length");
    for (const [id, text] of [
      ["a", "/hang"],
      ["b", "/empty"],
      ["c", "/empty"],
      ["d", "/empty"],
    ]) {
      reader.send({ type: "prompt", id, text });
    }
    await queue.moved(3);
    reader.send({ type: "withdraw", promptId: "c" });
    await queue.moved(2);
    reader.send({ type: "abort" });
    await reader.untilTurnEnd(3);
    await queue.moved(0);
    reader.close();
  });

  it("SSE3, SSE11: HEAD opens no stream of a turn that runs, and OPTIONS begins none", async () => {
    const sessionId = await api.createSession();
    const path = `/api/sessions/${sessionId}/chat`;
    const turn = await api.chat(sessionId, "/hang");
    await expect.poll(() => measure("subscribers")).toBe(1); // readers of earlier tests may still be leaving
    const started = await measure("turns_started");
    const body = JSON.stringify({ id: "chat", messages: [{ role: "user", content: "/empty" }] });
    expect((await fetch(`${product.url}${path}/x/stream`, { method: "HEAD", headers: api.headers })).status).toBe(405);
    expect((await fetch(product.url + path, { method: "OPTIONS", headers: api.headers, body })).status).toBe(204);
    expect([await measure("subscribers"), await measure("turns_started")]).toEqual([1, started]);
    await api.request("POST", `/api/sessions/${sessionId}/abort`, {});
    await turn.text();
  });

  it("MET1: subscribers counts readers of streams and of sockets while they are there", async () => {
    const sessionId = await api.createSession();
    await expect.poll(() => measure("subscribers")).toBe(0); // readers of earlier tests may still be leaving
    const subscribers = await watch("subscribers");
    const socket = await FrameSocket.open(api, `/api/sessions/${sessionId}/ws`);
    await subscribers.moved(1);
    const turn = await api.chat(sessionId, "/hang");
    const second = await api.request("GET", `/api/sessions/${sessionId}/chat/x/stream`);
    await subscribers.moved(3);
    socket.socket.terminate();
    await subscribers.moved(2);
    await api.request("POST", `/api/sessions/${sessionId}/abort`, {});
    await Promise.all([turn.text(), second.text()]);
    await subscribers.moved(0);
  });

  it("MET1 DIS1: adapter_stream_aborts_client counts clients that leave, and no stream that ended", async () => {
    const sessionId = await api.createSession();
    const aborts = await watch("adapter_stream_aborts_client");
    const ended = await watch("turns_ended");
    await (await api.chat(sessionId, "/empty")).text();
    await (await api.chat(sessionId, "/hang")).body?.cancel();
    await aborts.moved(1);
    await ended.moved(2);
  });
});

describe("measures of runners", () => {
  let host: FakeHost;

  /** The pool gives a session to the host with the fewest, so the real one gets some first. */
  beforeAll(async () => {
    for (let count = 0; count < 4; count++) await (await api.chat(await api.createSession(), "/empty")).text();
    host = await FakeHost.join(product, "fake");
  });

  afterAll(() => host.leave());

  async function startTurn(): Promise<{ sessionId: string; turnId: string; runner: FakeRunner; end(): Promise<void> }> {
    const sessionId = await api.createSession();
    const stream = await api.chat(sessionId, "anything");
    const runner = await host.open(sessionId);
    const { turnId } = await runner.command("prompt");
    await runner.send(1, { type: "message.create", turnId });
    const end = async () => {
      await api.request("DELETE", `/api/sessions/${sessionId}`);
      await stream.text();
    };
    return { sessionId, turnId, runner, end };
  }

  it("MET1 TURN5: adapter_ws_open_failures and adapter_stream_aborts_server count a session without a runner", async () => {
    const sessionId = await api.createSession();
    const [failures, aborts] = [await watch("adapter_ws_open_failures"), await watch("adapter_stream_aborts_server")];
    const stream = await api.chat(sessionId, "anything");
    await host.given(sessionId);
    const chunks = sseChunks(await stream.text());
    expect(chunks.at(-1)).toEqual({ type: "error", errorText: expect.stringContaining("No runner") });
    await failures.moved(1);
    await aborts.moved(1);
  });

  it("MET1 EV3: adapter_translation_unknown_events counts events of unknown types", async () => {
    const { runner, end } = await startTurn();
    const unknown = await watch("adapter_translation_unknown_events");
    await runner.send(2, { type: "riddle", answer: 42 }, { type: "message.step" }, { type: "another-riddle" });
    await unknown.moved(2);
    await end();
  });

  it("MET1 EV4: runner_malformed_events counts known types of a wrong shape", async () => {
    const { turnId, runner, end } = await startTurn();
    const malformed = await watch("runner_malformed_events");
    await runner.send(2, { type: "message.part.text-delta", turnId, delta: 5 });
    await malformed.moved(1);
    await end();
  });

  it("MET1 RUN4: runner_resent_events counts events that the session had already", async () => {
    const { turnId, runner, end } = await startTurn();
    const resent = await watch("runner_resent_events");
    const event = { type: "message.part.text-delta", turnId, delta: "x" };
    await runner.send(2, event, event);
    await resent.moved(0);
    await runner.send(1, { type: "message.create", turnId }, event, event, event);
    await resent.moved(3);
    await end();
  });
});

describe("who may see them", () => {
  it("MET1 ACL1: on one machine everyone, elsewhere those with a token", async () => {
    const open = await Product.start({}, undefined, ["--host", "0.0.0.0"]);
    try {
      await expectRefusal(await fetch(`${open.url}/metrics`), 401, "unauthorized");
      const headers = { authorization: "Bearer x" };
      await expectRefusal(await fetch(`${open.url}/metrics`, { headers }), 401, "unauthorized");
      expect((await Measures.of(open, await Api.of(open))).get("turns_started")).toBe(0);
      expect((await fetch(`${open.url}/healthz`)).status).toBe(200);
    } finally {
      await open.destroy();
    }
    const local = await fetch(`${product.url}/metrics`);
    expect([local.status, local.headers.get("content-type")]).toEqual([200, expect.stringContaining("version=0.0.4")]);
  });
});
