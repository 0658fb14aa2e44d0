import type { BenchCase, Column } from "../bench.ts";
import type { Batching } from "../feed.ts";
import { runRounds, summarize } from "../rounds.ts";
import type { System, SystemName } from "../systems/system.ts";

export type ThroughputShape = { name: string; sessions: number; readers: number; batching: Batching; quick: boolean };

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
/** In all sessions together: fan-out is nearly free, taking in is not, and a message costs more than an event. */
const MOST_FED: Record<Batching, number> = { runner: 300_000, single: 30_000 };

const COLUMNS: Column[] = [
  { key: "framesPerSecond", title: "frames/s", digits: 0, better: "higher" },
  { key: "serverMicros", title: "server us/frame", digits: 1 },
  { key: "delivered", title: "delivered %", digits: 1 },
];

/** As many frames as go through, from the first delta sent until the last reader has the last one. */
export function throughputCase(shape: ThroughputShape): BenchCase {
  const { name, sessions, readers, batching, quick } = shape;
  const sent = batching === "single" ? ", an event a message" : "";
  const title = `flat out, ${sessions} x ${readers} readers${sent}`;
  return {
    name,
    title,
    quick,
    columns: COLUMNS,
    async run(bench) {
      const results = await runRounds(bench, title, (system) => {
        const feed = { count: deltasOf(system, shape), batching, words: " some words" };
        return { sessions, readers, feed, patienceMs: 20_000 };
      });
      return [...results].map(([system, own]) =>
        summarize(system, own, ({ stats, elapsedMs, serverMicros }) => {
          return { framesPerSecond: (stats.deltas * 1000) / elapsedMs, serverMicros };
        }),
      );
    },
  };
}

function deltasOf(system: System, { sessions, readers, batching }: ThroughputShape): number {
  const most = Math.min(MOST_DELTAS, MOST_FED[batching] / sessions, FRAMES[system.name] / (sessions * readers));
  return Math.max(LEAST_DELTAS, Math.floor(most));
}
