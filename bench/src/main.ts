import { mkdirSync, writeFileSync } from "node:fs";
import { availableParallelism, loadavg } from "node:os";
import { dirname } from "node:path";
import { chosenCases, HELP, type Options, readOptions } from "./options.ts";
import { verdictTable } from "./report.ts";
import { runCases } from "./run.ts";
import { judge } from "./targets.ts";

const LIMIT_MINUTES = { quick: 4, full: 40 };

const show = (text: string) => void process.stdout.write(`${text}\n`);

/** Rejects at a signal, at a failure nobody waits for, or when the run takes far too long. */
function stopSignal(minutes: number): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>();
  for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => reject(new Error(`Stopped by ${signal}.`)));
  process.on("uncaughtException", reject);
  setTimeout(() => reject(new Error(`Not done after ${minutes} minutes.`)), minutes * 60_000).unref();
  return promise;
}

async function run(options: Options): Promise<void> {
  const startedAt = new Date();
  const stopped = stopSignal(options.quick ? LIMIT_MINUTES.quick : LIMIT_MINUTES.full);
  const { results, notes } = await runCases(chosenCases(options), { ...options, show, stopped });
  const verdicts = judge(results, options.quick);
  if (verdicts.length > 0) show(verdictTable(verdicts));
  const seconds = Math.round((Date.now() - startedAt.getTime()) / 1000);
  const machine = { cores: availableParallelism(), node: process.version, load: loadavg()[0] };
  const report = { startedAt, seconds, machine, options, results, verdicts, notes };
  mkdirSync(dirname(options.json), { recursive: true });
  writeFileSync(options.json, `${JSON.stringify(report, null, 2)}\n`);
  show(`\n${seconds} s; figures in ${options.json}`);
}

async function main(): Promise<void> {
  const options = readOptions(process.argv.slice(2));
  if (options.help) show(HELP);
  else await run(options);
}

/** Whatever still waits inside a run that was stopped waits for processes that are gone. */
await main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
  process.exitCode = 1;
});
process.exit();
