import type { BenchCase, Column, Measure } from "./bench.ts";
import { SYSTEM_TITLES } from "./systems/system.ts";
import type { Verdict } from "./targets.ts";

/** One case as lines: a system a row, and how each compares with ours. */
export function caseTable({ title, columns }: BenchCase, measures: readonly Measure[]): string {
  const compared = columns.find((column) => column.better);
  const ours = measures.find((measure) => measure.system === "adapter");
  const head = [title, ...columns.map((column) => column.title), ...(compared ? ["against ours"] : [])];
  const rows = measures.map((measure) => [
    `  ${SYSTEM_TITLES[measure.system]}`,
    ...columns.map(({ key, digits }) => number(measure.values[key], digits)),
    ...(compared && ours ? [comparison(compared, measure, ours)] : []),
  ]);
  return table([head, ...rows]);
}

function comparison({ key, better }: Column, measure: Measure, ours: Measure): string {
  if (measure === ours) return "";
  const [theirs, own] = [measure.values[key], ours.values[key]];
  if (theirs === undefined || own === undefined) return "";
  const worse = better === "higher" ? own / theirs : theirs / own;
  const word = better === "higher" ? ["slower", "faster"] : ["longer", "shorter"];
  return worse >= 1 ? `${worse.toFixed(1)}x ${word[0]}` : `${(1 / worse).toFixed(1)}x ${word[1]}`;
}

function number(value: number | undefined, digits: number): string {
  if (value === undefined || !Number.isFinite(value)) return "-";
  return value.toLocaleString("en-US", { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

export function verdictTable(verdicts: readonly Verdict[]): string {
  const rows = verdicts.map(({ what, figure, target, passed }) => [
    `  ${what}`,
    figure,
    target,
    passed ? "pass" : "FAIL",
  ]);
  return table([["targets of this run", "figure", "target", ""], ...rows]);
}

function table(rows: readonly string[][]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const cell = (text: string, column: number) => {
    const width = widths[column] ?? 0;
    return column === 0 ? text.padEnd(width) : text.padStart(width + 2);
  };
  return rows.map((row) => row.map(cell).join("").trimEnd()).join("\n");
}
