import { type DemoAnswer, type DemoTurn, textDelta } from "./command.ts";

const REQUEST = /^Review the changes below\./;
const CHANGED_FILE = /^\+\+\+ b\/(.+)$/gm;

/** Whether a prompt is the runner's own, on behalf of somebody who wants the changes reviewed. */
export function isReviewRequest(prompt: string): boolean {
  return REQUEST.test(prompt);
}

/** One finding for each file that has lines, of each severity in turn. */
export async function* reviewAnswer({ args }: DemoTurn): DemoAnswer {
  const severities = ["suggestion", "nitpick", "warning", "critical"];
  const files = [...args.matchAll(CHANGED_FILE)].map(([, path = ""], index) => {
    const severity = severities[index % severities.length];
    return { path, findings: [{ line: 1, severity, title: "A test would help", description: "Nothing tests this." }] };
  });
  yield textDelta(JSON.stringify({ files, overallSummary: `I looked at ${files.length} changed files.` }));
}
