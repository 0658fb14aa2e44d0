import { CATALOGUE, type CheckId, type GroupName } from "./catalogue.ts";
import type { ProfileName } from "./profile.ts";
import type { Verdict } from "./verdict.ts";

export type CheckResult = { readonly id: CheckId; readonly verdict: Verdict };
export type GroupResult = { readonly name: GroupName; readonly ms: number; readonly checks: readonly CheckResult[] };

export type Report = {
  readonly url: string;
  readonly profile: ProfileName;
  readonly ms: number;
  readonly groups: readonly GroupResult[];
};

export type Counts = Record<Verdict["status"], number>;

export function countsOf({ groups }: Report): Counts {
  const counts: Counts = { passed: 0, warned: 0, failed: 0, skipped: 0 };
  for (const { verdict } of groups.flatMap(({ checks }) => checks)) counts[verdict.status] += 1;
  return counts;
}

/** The report as programs read it. Why and how to fix are said where there is something to fix. */
export function toJson(report: Report): string {
  const checks = report.groups.flatMap((group) => group.checks.map((check) => describe(group.name, check)));
  const counts = countsOf(report);
  const { url, profile, ms } = report;
  return JSON.stringify({ url, profile, ok: counts.failed === 0, ...counts, ms: Math.round(ms), checks }, null, 2);
}

function describe(group: GroupName, { id, verdict }: CheckResult): object {
  const { title, why, fix } = CATALOGUE[id];
  return { id, group, title, ...verdict, ...("seen" in verdict ? { why, fix } : {}) };
}
