import { isSound, type Outcome } from "./campaign.ts";

const SHOWN_PROBLEMS = 20;

/** A campaign in the few lines that a person needs. */
export function report(outcome: Outcome): string {
  const { seed, size, turns, prompts, faults, killsInside, rewinds, logged, compared, bytes } = outcome;
  const { completed, outlived, messages } = outcome;
  const kinds = [...faults].toSorted().map(([kind, count]) => `${kind} ${count}`);
  const injected = [...faults.values()].reduce((total, count) => total + count, 0);
  const lines = [
    `seed ${seed}: ${size.sessions} sessions, ${size.seconds} s, ${prompts} prompts acknowledged, ${turns} turns`,
    `turns that came to their own end: ${completed}, of which workerd was killed during ${outlived}`,
    `faults injected: ${injected} (${kinds.join(", ")})`,
    `kills inside an unwritten batch: ${killsInside}; rewinds of readers: ${rewinds}`,
    `events in the logs: ${logged}; events and chunks of clients checked: ${compared} (${bytes} bytes compared)`,
    `stored messages held against the logs: ${messages}`,
    `lost ${outcome.lost}, doubled ${outcome.doubled}, other problems ${otherProblems(outcome)}`,
  ];
  return [...lines, ...failure(outcome)].join("\n");
}

function otherProblems({ problems, lost, doubled }: Outcome): string {
  const kinds = Map.groupBy(problems, ({ kind }) => kind);
  const others = [...kinds].filter(([kind]) => kind !== "lost" && kind !== "doubled");
  const told = others.map(([kind, found]) => `${kind} ${found.length}`).join(", ");
  return `${problems.length - lost - doubled}${told && ` (${told})`}`;
}

function failure(outcome: Outcome): string[] {
  if (isSound(outcome)) return [];
  const { problems, killsInside, completed, outlived, messages, seed, size, kept } = outcome;
  const shown = problems.slice(0, SHOWN_PROBLEMS).map(({ kind, where, what }) => `  ${kind}: ${where}: ${what}`);
  return [
    ...(problems.length > 0 ? ["PROBLEMS", ...shown] : []),
    ...(problems.length > shown.length ? [`  and ${problems.length - shown.length} more`] : []),
    ...(killsInside === 0 ? ["No kill fell inside an unwritten batch: this campaign does not count."] : []),
    ...(completed === 0 || outlived === 0 ? ["No turn outlived a kill of workerd: this campaign does not count."] : []),
    ...(messages === 0 ? ["No message was stored: this campaign does not count."] : []),
    `The recordings are in ${kept}`,
    `Again: npm run chaos -- --seed ${seed} --sessions ${size.sessions} --minutes ${size.seconds / 60}`,
  ];
}
