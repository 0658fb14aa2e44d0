import type { Bench, BenchCase, Measure } from "../bench.ts";
import { residentKb } from "../child.ts";
import { feed } from "../feed.ts";
import type { FedSession, System } from "../systems/system.ts";

const WORDS = "w".repeat(4_000);
const DELTAS_PER_SECOND = 1_000;
const SIZE = { quick: { readers: 4, megabytes: 12 }, full: { readers: 20, megabytes: 42 } };
const OPEN_MS = 10_000;
const PATIENCE_MS = 10_000;
const SAMPLE_MS = 200;
const MB = 1024 * 1024;

/** One reader stops reading; the others must not notice, and memory must not grow. */
export const slowReader: BenchCase = {
  name: "slow-reader",
  title: "a reader that stops reading, beside readers that go on",
  quick: true,
  columns: [
    { key: "readers", title: "readers", digits: 0 },
    { key: "megabytes", title: "MB each", digits: 0 },
    { key: "complete", title: "finished", digits: 0 },
    { key: "stalledMb", title: "MB the slow one got", digits: 1 },
    { key: "grownMb", title: "MB grown", digits: 0 },
  ],
  async run(bench) {
    const peers = bench.systems.filter(({ name }) => name === "adapter" || (name === "naive" && !bench.quick));
    const measures: Measure[] = [];
    for (const system of peers) measures.push(await stall(bench, system));
    return measures;
  },
};

async function stall(bench: Bench, system: System): Promise<Measure> {
  const { readers, megabytes } = bench.quick ? SIZE.quick : SIZE.full;
  const [session] = await system.open(1);
  if (!session) throw new Error("No session.");
  const count = Math.ceil((megabytes * MB) / WORDS.length);
  try {
    await letIn(bench, session, { readers, count });
    const memory = watchMemory(system.pid);
    await feed([session], { count, perSecond: DELTAS_PER_SECOND, batching: "runner", words: WORDS });
    const { complete } = await bench.pool.collect("reading", PATIENCE_MS);
    const grownMb = memory.stop() / 1024;
    const stalled = await bench.pool.collect("stalled", PATIENCE_MS);
    const stalledMb = stalled.bytes / MB;
    return { system: system.name, values: { readers, megabytes, complete, stalledMb, grownMb } };
  } finally {
    await Promise.all(["reading", "stalled"].map((group) => bench.pool.close(group)));
    session.close();
  }
}

async function letIn({ pool }: Bench, session: FedSession, size: { readers: number; count: number }): Promise<void> {
  const expected = { total: size.count, timeoutMs: OPEN_MS };
  const plans = Array.from({ length: size.readers }, (_, index) => session.plan(index));
  await pool.open({ ...expected, group: "reading", plans: plans.slice(0, 1) });
  await session.begun();
  await pool.open({ ...expected, group: "reading", plans: plans.slice(1) });
  await pool.open({ ...expected, group: "stalled", plans: [{ ...session.plan(size.readers), stalls: true }] });
}

/** The growth of a process at its highest, in KB. */
function watchMemory(pid: number): { stop(): number } {
  const before = residentKb(pid);
  let highest = before;
  const timer = setInterval(() => {
    highest = Math.max(highest, residentKb(pid));
  }, SAMPLE_MS);
  return {
    stop() {
      clearInterval(timer);
      return Math.max(highest, residentKb(pid)) - before;
    },
  };
}
