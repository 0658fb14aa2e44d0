import type { Bench, BenchCase, Column, Measure } from "../bench.ts";
import type { Batching } from "../feed.ts";
import { median } from "../percentiles.ts";
import { describeLoss, runStream, type StreamResult } from "../stream-run.ts";
import type { System, SystemName } from "../systems/system.ts";

export type ThroughputShape = { sessions: number; readers: number; batching: Batching };

/** Frames in one run, by what each system can do in a second or two. */
const FRAMES: Record<SystemName, number> = {
  adapter: 1_000_000,
  socket: 1_000_000,
  naive: 30_000,
  "ai-node": 100_000,
  "ai-chat": 30_000,
};
const LEAST_DELTAS = 50;
/** A stream that stays below what a slow reader may leave unread cannot be cut for it. */
const MOST_DELTAS = 10_000;
/** A message for each event costs what a batch costs, so there are fewer of them. */
const SINGLE_SHARE = 0.1;
const ROUNDS = { quick: 1, full: 3 };

const COLUMNS: Column[] = [
  { key: "framesPerSecond", title: "frames/s", digits: 0, better: "higher" },
  { key: "serverMicros", title: "server us/frame", digits: 1 },
  { key: "delivered", title: "delivered %", digits: 1 },
];

/** As many frames as go through, from the first delta sent until the last reader has the last one. */
export function throughputCase(name: string, shape: ThroughputShape, quick: boolean): BenchCase {
  const sent = shape.batching === "single" ? ", an event a message" : "";
  const title = `flat out, ${shape.sessions} x ${shape.readers} readers${sent}`;
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
      return [...results].map(([system, own]) => summarize(bench, { system, title, shape }, own));
    },
  };
}

function deltasOf(system: System, { sessions, readers, batching }: ThroughputShape): number {
  const frames = FRAMES[system.name] * (batching === "single" ? SINGLE_SHARE : 1);
  return Math.min(MOST_DELTAS, Math.max(LEAST_DELTAS, Math.floor(frames / (sessions * readers))));
}

function runRound(bench: Bench, system: System, shape: ThroughputShape): Promise<StreamResult> {
  const { sessions, readers, batching } = shape;
  return runStream(bench.pool, system, {
    sessions,
    readers,
    feed: { count: deltasOf(system, shape), batching, words: " some words" },
    patienceMs: 20_000,
  });
}

type Subject = { system: System; title: string; shape: ThroughputShape };

function summarize(bench: Bench, { system, title, shape }: Subject, results: readonly StreamResult[]): Measure {
  for (const result of results) {
    const loss = describeLoss(system, title, result);
    if (loss) bench.note(loss);
  }
  const expected = shape.sessions * shape.readers * deltasOf(system, shape);
  return {
    system: system.name,
    values: {
      framesPerSecond: median(results.map(({ stats, elapsedMs }) => (stats.deltas * 1000) / elapsedMs)),
      serverMicros: median(results.map(({ serverMicros }) => serverMicros)),
      delivered: Math.min(...results.map(({ stats }) => (100 * stats.deltas) / expected)),
    },
  };
}
