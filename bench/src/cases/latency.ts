import type { BenchCase, Column } from "../bench.ts";
import type { Batching } from "../feed.ts";
import { runRounds, summarize } from "../rounds.ts";

export type LatencyShape = {
  name: string;
  sessions: number;
  readers: number;
  perSecond: number;
  batching: Batching;
  quick: boolean;
};

const WARM_SECONDS = 1;
const SECONDS = { quick: 2, full: 6 };

const COLUMNS: Column[] = [
  { key: "p50", title: "p50 ms", digits: 2, better: "lower" },
  { key: "p99", title: "p99 ms", digits: 1 },
  { key: "max", title: "max ms", digits: 0 },
  { key: "serverMicros", title: "server us/frame", digits: 0 },
  { key: "delivered", title: "delivered %", digits: 1 },
];

/** From the moment a delta leaves the runner until a reader has it. */
export function latencyCase({ name, sessions, readers, perSecond, batching, quick }: LatencyShape): BenchCase {
  const sent = batching === "runner" ? ", runner's batches" : "";
  const title = `added latency, ${sessions} x ${readers} readers x ${perSecond}/s${sent}`;
  return {
    name,
    title,
    quick,
    columns: COLUMNS,
    async run(bench) {
      const count = perSecond * (WARM_SECONDS + (bench.quick ? SECONDS.quick : SECONDS.full));
      const feed = { count, perSecond, batching, words: " some words" };
      const run = { sessions, readers, feed, sampleFrom: WARM_SECONDS * perSecond, patienceMs: 5_000 };
      const results = await runRounds(bench, title, () => run);
      return [...results].map(([system, own]) =>
        summarize(system, own, ({ stats: { latencyMs }, serverMicros }) => {
          return { p50: latencyMs.p50, p99: latencyMs.p99, max: latencyMs.max, serverMicros };
        }),
      );
    },
  };
}
