import { execFileSync } from "node:child_process";
import type { Bench, BenchCase } from "./bench.ts";
import type { Options } from "./options.ts";
import { ReaderPool } from "./readers/reader-pool.ts";
import { caseTable } from "./report.ts";
import { Product } from "./systems/product.ts";
import { startSystem } from "./systems/start-systems.ts";
import type { System } from "./systems/system.ts";
import type { CaseResult } from "./targets.ts";

/** Descriptors that the larger cases need, in workerd and in the readers' process. */
const DESCRIPTORS_WANTED = 20_000;

export type Outcome = { results: CaseResult[]; notes: string[] };

/** Starts every system, runs the cases one after the other, and stops what was started, whatever happens. */
export async function runCases(
  cases: readonly BenchCase[],
  options: Pick<Options, "quick" | "systems">,
  show: (text: string) => void,
): Promise<Outcome> {
  await using undo = new AsyncDisposableStack();
  const notes: string[] = [];
  const note = (text: string) => {
    notes.push(text);
    show(`note: ${text}`);
  };
  const descriptors = descriptorLimit();
  if (descriptors < DESCRIPTORS_WANTED) note(`ulimit -n is ${descriptors}; some cases want ${DESCRIPTORS_WANTED}`);
  const pool = undo.use(await ReaderPool.start());
  const product = undo.use(await Product.start());
  const systems: System[] = [];
  for (const name of options.systems) {
    try {
      systems.push(await startSystem(name, product, undo));
    } catch (error) {
      note(`${name} is left out, since it did not start: ${error}`);
    }
  }
  const bench: Bench = { pool, product, systems, quick: options.quick, descriptors, note };
  const results: CaseResult[] = [];
  for (const entry of cases) {
    const { name, title } = entry;
    const measures = await entry.run(bench);
    results.push({ name, title, measures });
    if (measures.length > 0) show(`${caseTable(entry, measures)}\n`);
  }
  return { results, notes };
}

function descriptorLimit(): number {
  const text = execFileSync("sh", ["-c", "ulimit -n"], { encoding: "utf8" }).trim();
  return text === "unlimited" ? Number.POSITIVE_INFINITY : Number(text);
}
