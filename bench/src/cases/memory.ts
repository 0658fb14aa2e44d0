import type { Bench, BenchCase, Measure } from "../bench.ts";
import { residentKb } from "../child.ts";
import { heapMb } from "../heap.ts";
import { freePort } from "../systems/free-port.ts";
import type { ProductSession } from "../systems/product.ts";

const SESSIONS = 10;
/** Compiled code takes a while to reach its size; then growth of the heap would be a leak. */
const WARM_REQUESTS = 2_000;
const REQUESTS = { first: 1_000, all: 10_000 };
const STREAMS = { quick: 2_000, full: 9_500 };
/** Descriptors of workerd for one stream, and what it needs besides. */
const DESCRIPTORS_OF_A_STREAM = 2;
const DESCRIPTORS_BESIDES = 900;
const PATIENCE_MS = 120_000;

/** Turns one after the other: what a request leaves behind shows as growth. */
export const sequentialRequests: BenchCase = {
  name: "requests",
  title: "memory after sequential requests",
  quick: false,
  columns: [
    { key: "first", title: "requests", digits: 0 },
    { key: "firstHeapMb", title: "heap MB", digits: 1 },
    { key: "firstMb", title: "workerd MB", digits: 0 },
    { key: "all", title: "requests", digits: 0 },
    { key: "allHeapMb", title: "heap MB", digits: 1 },
    { key: "allMb", title: "workerd MB", digits: 0 },
    { key: "ratio", title: "ratio", digits: 2 },
    { key: "perSecond", title: "requests/s", digits: 0 },
  ],
  async run({ freshProduct }) {
    const inspectorPort = await freePort();
    await using product = await freshProduct(inspectorPort);
    const memory = async () => ({ heap: await heapMb(inspectorPort), whole: residentKb(product.pid) / 1024 });
    const { first, all } = REQUESTS;
    const sessions = await product.open(SESSIONS, "adapter", "answers");
    await requests(sessions, WARM_REQUESTS);
    await requests(sessions, first);
    const early = await memory();
    const startedAt = performance.now();
    await requests(sessions, all - first);
    const perSecond = ((all - first) * 1000) / (performance.now() - startedAt);
    const late = await memory();
    const firsts = { first, firstHeapMb: early.heap, firstMb: early.whole };
    const alls = { all, allHeapMb: late.heap, allMb: late.whole };
    return [{ system: "adapter", values: { ...firsts, ...alls, ratio: late.heap / early.heap, perSecond } }];
  },
};

async function requests(sessions: readonly ProductSession[], count: number): Promise<void> {
  for (let request = 0; request < count; request++) {
    const body = await sessions[request % sessions.length]?.chat();
    if (!body?.endsWith("data: [DONE]\n\n")) throw new Error(`A stream ended early: ${body?.slice(-200)}`);
  }
}

/** Readers of one session that are there and wait. */
export const idleStreams: BenchCase = {
  name: "idle-streams",
  title: "open idle streams of one session",
  quick: true,
  columns: [
    { key: "streams", title: "streams", digits: 0 },
    { key: "kbEach", title: "KB each", digits: 0 },
    { key: "delivered", title: "got a delta %", digits: 1 },
  ],
  async run(bench) {
    const wanted = bench.quick ? STREAMS.quick : STREAMS.full;
    const possible = Math.floor((bench.descriptors - DESCRIPTORS_BESIDES) / DESCRIPTORS_OF_A_STREAM);
    const streams = Math.min(wanted, possible);
    if (streams < wanted) {
      bench.note(`idle-streams: ${streams} instead of ${wanted} streams, since ulimit -n is ${bench.descriptors}`);
    }
    return [await openStreams(bench, streams)];
  },
};

async function openStreams({ pool, freshProduct }: Bench, streams: number): Promise<Measure> {
  const group = "idle";
  await using product = await freshProduct();
  const [session] = await product.open(1, "adapter");
  if (!session) throw new Error("No session.");
  const expected = { group, total: 1, timeoutMs: PATIENCE_MS };
  try {
    await pool.open({ ...expected, plans: [session.plan(0)] });
    await session.begun();
    const before = residentKb(product.pid);
    await pool.open({ ...expected, plans: Array.from({ length: streams - 1 }, (_, index) => session.plan(index + 1)) });
    const kbEach = (residentKb(product.pid) - before) / (streams - 1);
    session.send(["@0,0;hello"]);
    session.finish();
    const { complete } = await pool.collect(group, PATIENCE_MS);
    return { system: "adapter", values: { streams, kbEach, delivered: (100 * complete) / streams } };
  } finally {
    await pool.close(group);
  }
}
