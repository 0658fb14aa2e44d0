import { mkdirSync, writeFileSync } from "node:fs";
import { availableParallelism, release } from "node:os";
import { dirname } from "node:path";
import { chosenCases, HELP, readOptions } from "./options.ts";
import { verdictTable } from "./report.ts";
import { runCases } from "./run.ts";
import { judge } from "./targets.ts";

const options = readOptions(process.argv.slice(2));
const show = (text: string) => void process.stdout.write(`${text}\n`);

async function main(): Promise<void> {
  if (options.help) return show(HELP);
  const startedAt = new Date();
  const { results, notes } = await runCases(chosenCases(options), options, show);
  const verdicts = judge(results, options.quick);
  if (verdicts.length > 0) show(verdictTable(verdicts));
  const machine = { cores: availableParallelism(), node: process.version, system: release() };
  const seconds = Math.round((Date.now() - startedAt.getTime()) / 1000);
  mkdirSync(dirname(options.json), { recursive: true });
  writeFileSync(options.json, `${JSON.stringify({ startedAt, seconds, machine, options, results, verdicts, notes }, null, 2)}\n`);
  show(`\n${seconds} s; figures in ${options.json}`);
}

await main();
