import type { BenchCase } from "../bench.ts";
import { percentiles } from "../percentiles.ts";
import type { ReaderPlan } from "../readers/protocol.ts";
import type { ReaderPool } from "../readers/reader-pool.ts";

const AT_ONCE = 10;
const ROUNDS = { quick: 20, full: 100 };
const WARM_ROUNDS = 3;
const PATIENCE_MS = 10_000;

/** A prompt in each of ten sessions whose runner is there, again and again: from the request to the first byte back. */
export const firstByte: BenchCase = {
  name: "first-byte",
  title: `first byte on a warm session, ${AT_ONCE} at a time`,
  quick: true,
  columns: [
    { key: "p50", title: "p50 ms", digits: 1 },
    { key: "p99", title: "p99 ms", digits: 1 },
    { key: "max", title: "max ms", digits: 1 },
  ],
  async run({ pool, product, quick }) {
    const sessions = await product.open(AT_ONCE, "adapter", "answers");
    const samples: number[] = [];
    const rounds = WARM_ROUNDS + (quick ? ROUNDS.quick : ROUNDS.full);
    for (let round = 0; round < rounds; round++) {
      const plans = sessions.map(
        (session): ReaderPlan => ({ port: product.port, request: session.promptRequest(), transport: "sse" }),
      );
      const times = await firstBytes(pool, plans);
      if (round >= WARM_ROUNDS) samples.push(...times);
    }
    for (const session of sessions) session.close();
    const { p50, p99, max } = percentiles(samples);
    return [{ system: "adapter", values: { p50, p99, max } }];
  },
};

async function firstBytes(pool: ReaderPool, plans: ReaderPlan[]): Promise<number[]> {
  const group = "first-byte";
  await pool.open({ group, plans, total: 0, timeoutMs: PATIENCE_MS });
  const stats = await pool.collect(group, PATIENCE_MS);
  await pool.close(group);
  if (stats.complete < stats.readers) throw new Error(`A turn did not end: ${stats.failures[0] ?? "no reason given"}`);
  return stats.firstBytesMs;
}
