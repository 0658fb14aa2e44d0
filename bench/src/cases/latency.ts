import type { Bench, BenchCase, Column, Measure } from "../bench.ts";
import type { Batching } from "../feed.ts";
import { median } from "../percentiles.ts";
import { describeLoss, runStream, type StreamResult } from "../stream-run.ts";
import type { System } from "../systems/system.ts";

export type LatencyShape = { sessions: number; readers: number; perSecond: number; batching: Batching };

const WARM_SECONDS = 1;
const SECONDS = { quick: 3, full: 6 };
const ROUNDS = { quick: 1, full: 3 };

const COLUMNS: Column[] = [
  { key: "p50", title: "p50 ms", digits: 2, better: "lower" },
  { key: "p99", title: "p99 ms", digits: 1 },
  { key: "max", title: "max ms", digits: 0 },
  { key: "serverMicros", title: "server us/frame", digits: 0 },
  { key: "delivered", title: "delivered %", digits: 1 },
];

/** From the moment a delta leaves the runner until a reader has it. Rounds of all systems alternate. */
export function latencyCase(name: string, shape: LatencyShape, quick: boolean): BenchCase {
  const { sessions, readers, perSecond, batching } = shape;
  const sent = batching === "runner" ? ", runner's batches" : "";
  const title = `added latency, ${sessions} x ${readers} readers x ${perSecond}/s${sent}`;
  return {
    name,
    title,
    quick,
    columns: COLUMNS,
    async run(bench) {
      const rounds = bench.quick ? ROUNDS.quick : ROUNDS.full;
      const results = new Map<System, StreamResult[]>(bench.systems.map((system) => [system, []]));
      for (let round = 0; round < rounds; round++) {
        for (const [system, own] of results) own.push(await runRound(bench, system, shape));
      }
      for (const [system, own] of results) noteLosses(bench, system, title, own);
      return [...results].map(([system, own]) => summarize(system, own, shape, bench.quick));
    },
  };
}

function deltasOf(shape: LatencyShape, quick: boolean): number {
  return shape.perSecond * (WARM_SECONDS + (quick ? SECONDS.quick : SECONDS.full));
}

function runRound(bench: Bench, system: System, shape: LatencyShape): Promise<StreamResult> {
  const { sessions, readers, perSecond, batching } = shape;
  return runStream(bench.pool, system, {
    sessions,
    readers,
    feed: { count: deltasOf(shape, bench.quick), perSecond, batching, words: " some words" },
    sampleFrom: WARM_SECONDS * perSecond,
    patienceMs: 5_000,
  });
}

function noteLosses(bench: Bench, system: System, title: string, results: readonly StreamResult[]): void {
  for (const result of results) {
    const loss = describeLoss(system, title, result);
    if (loss) bench.note(loss);
  }
}

function summarize(system: System, results: readonly StreamResult[], shape: LatencyShape, quick: boolean): Measure {
  const over = (pick: (result: StreamResult) => number) => median(results.map(pick));
  const expected = shape.sessions * shape.readers * deltasOf(shape, quick);
  return {
    system: system.name,
    values: {
      p50: over(({ stats }) => stats.latencyMs.p50),
      p99: over(({ stats }) => stats.latencyMs.p99),
      max: over(({ stats }) => stats.latencyMs.max),
      serverMicros: over(({ serverMicros }) => serverMicros),
      delivered: Math.min(...results.map(({ stats }) => (100 * stats.deltas) / expected)),
    },
  };
}
