import type { Bench, Measure } from "./bench.ts";
import { median } from "./percentiles.ts";
import { runStream, type StreamResult, type StreamRun } from "./stream-run.ts";
import type { System } from "./systems/system.ts";

const ROUNDS = { quick: 1, full: 3 };

/** The same run in every system, in turns, so that a busy moment of the machine hits all of them alike. */
export async function runRounds(
  bench: Bench,
  title: string,
  runOf: (system: System) => StreamRun,
): Promise<Map<System, StreamResult[]>> {
  const results = new Map<System, StreamResult[]>(bench.systems.map((system) => [system, []]));
  for (let round = 0; round < (bench.quick ? ROUNDS.quick : ROUNDS.full); round++) {
    for (const [system, own] of results) {
      await bench.quiet();
      const result = await runStream(bench.pool, system, runOf(system));
      own.push(result);
      noteLoss(bench, `${title}, ${system.name}`, result);
    }
  }
  return results;
}

/** Says what went missing, so that a figure of an incomplete run is never read as a good one. */
function noteLoss(bench: Bench, what: string, { stats }: StreamResult): void {
  if (stats.complete === stats.readers) return;
  const why = stats.failures[0] ? `: ${stats.failures[0]}` : "";
  bench.note(`${what}: ${stats.readers - stats.complete} of ${stats.readers} readers did not get everything${why}`);
}

/** The median of each figure over the rounds, and the worst share that was delivered. */
export function summarize(
  { name }: System,
  results: readonly StreamResult[],
  figures: (result: StreamResult) => Record<string, number>,
): Measure {
  const rounds = results.map(figures);
  const keys = Object.keys(rounds[0] ?? {});
  const medians = keys.map((key) => [key, median(rounds.map((round) => round[key] ?? Number.NaN))]);
  const delivered = Math.min(...results.map(({ stats, expected }) => (100 * stats.deltas) / expected));
  return { system: name, values: { ...Object.fromEntries(medians), delivered } };
}
