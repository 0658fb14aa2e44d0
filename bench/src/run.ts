import { execFileSync } from "node:child_process";
import type { Bench, BenchCase } from "./bench.ts";
import type { Options } from "./options.ts";
import { untilQuiet } from "./quiet.ts";
import { ReaderPool } from "./readers/reader-pool.ts";
import { caseTable } from "./report.ts";
import { buildProduct, Product } from "./systems/product.ts";
import { startSystem } from "./systems/start-system.ts";
import type { System } from "./systems/system.ts";
import type { CaseResult } from "./targets.ts";

/** Descriptors that the larger cases need, in workerd and in the readers' process. */
const DESCRIPTORS_WANTED = 20_000;

const QUIET_MS = { quick: 2_000, full: 15_000 };

export type RunOptions = Pick<Options, "quick" | "systems"> & {
  show(text: string): void;
  /** Rejects when the run has to stop. */
  stopped: Promise<never>;
};
export type Outcome = { results: CaseResult[]; notes: string[] };

/** Starts every system, runs the cases one after the other, and stops what was started, whatever happens. */
export async function runCases(cases: readonly BenchCase[], options: RunOptions): Promise<Outcome> {
  await using undo = new AsyncDisposableStack();
  return await Promise.race([runAll(cases, options, undo), options.stopped]);
}

async function runAll(
  cases: readonly BenchCase[],
  { quick, systems: names, show }: RunOptions,
  undo: AsyncDisposableStack,
): Promise<Outcome> {
  const notes: string[] = [];
  const note = (text: string) => {
    notes.push(text);
    show(`note: ${text}\n`);
  };
  const descriptors = descriptorLimit();
  if (descriptors < DESCRIPTORS_WANTED) note(`ulimit -n is ${descriptors}; some cases want ${DESCRIPTORS_WANTED}`);
  buildProduct();
  const pool = undo.use(await ReaderPool.start());
  const product = undo.use(await Product.start());
  const freshProduct = async (inspectorPort?: number) => undo.use(await Product.start(inspectorPort));
  const systems = await startSystems(names, { product, undo, note });
  let noisy = 0;
  const quiet = async () => {
    if (!(await untilQuiet(quick ? QUIET_MS.quick : QUIET_MS.full))) noisy++;
  };
  const bench: Bench = { pool, product, freshProduct, systems, quick, descriptors, quiet, note };
  const results: CaseResult[] = [];
  for (const entry of cases) {
    await quiet();
    const startedAt = performance.now();
    const measures = await entry.run(bench);
    const seconds = (performance.now() - startedAt) / 1000;
    results.push({ name: entry.name, title: entry.title, seconds, measures });
    if (measures.length > 0) show(`${caseTable(entry, measures)}\n`);
  }
  if (noisy > 0) note(`other programs kept this machine busy at ${noisy} moments; figures of this run are too high`);
  return { results, notes };
}

type Starting = { product: Product; undo: AsyncDisposableStack; note(text: string): void };

async function startSystems(names: Options["systems"], { product, undo, note }: Starting): Promise<System[]> {
  const systems: System[] = [];
  for (const name of names) {
    try {
      systems.push(await startSystem(name, product, undo));
    } catch (error) {
      note(`${name} is left out, since it did not start: ${error}`);
    }
  }
  return systems;
}

function descriptorLimit(): number {
  const text = execFileSync("sh", ["-c", "ulimit -n"], { encoding: "utf8" }).trim();
  return text === "unlimited" ? Number.POSITIVE_INFINITY : Number(text);
}
