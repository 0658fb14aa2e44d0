import { checkStream, type ProblemCode } from "@agent-ops/ai-sdk/stream-checker";
import type { Recording } from "../recording.ts";
import { isLegible, type StreamView } from "../stream-view.ts";
import { type Finding, plural, shown, skipped, type Verdict, verdictOf } from "../verdict.ts";
import type { Verdicts } from "./answer.ts";

export function checkEnd(views: readonly StreamView[]): Verdicts {
  const legible = views.filter(isLegible);
  return {
    "end.finish": judge(legible, (view) => (hasEnd(view) ? undefined : withoutEnd(view))),
    "end.last": judge(legible, afterEnd),
    "end.closed": judge(legible.filter(hasEnd), ({ recording }) =>
      recording.ending === "whole" ? undefined : describeEnding(recording),
    ),
  };
}

function judge(views: readonly StreamView[], find: (view: StreamView) => string | undefined): Verdict {
  if (views.length === 0) return skipped("no stream could be read to its end");
  const findings = views.flatMap((view): Finding[] => {
    const seen = find(view);
    return seen === undefined ? [] : [{ severity: "failed", seen: `${view.recording.name}: ${seen}` }];
  });
  return verdictOf(findings, plural(views.length, "stream"));
}

export function hasEnd(view: StreamView): boolean {
  return problemIn(view, "no-end") === undefined;
}

/** Where the checker saw such a problem first. */
function problemIn({ chunks }: StreamView, code: ProblemCode): number | undefined {
  return checkStream(chunks).find((problem) => problem.code === code)?.index;
}

function withoutEnd({ chunks, recording }: StreamView): string {
  const last = `the last of ${plural(chunks.length, "chunk")} is ${chunks.at(-1)?.type}`;
  return recording.ending === "whole" ? last : `${last}; ${describeEnding(recording)}`;
}

function afterEnd(view: StreamView): string | undefined {
  const index = problemIn(view, "after-end");
  return index === undefined ? undefined : `after the end comes ${shown(JSON.stringify(view.chunks[index]))}`;
}

function describeEnding({ ending, failure, startedAt, endedAt }: Recording): string {
  const seconds = ((endedAt - startedAt) / 1000).toFixed(0);
  return ending === "cut"
    ? `the connection broke (${failure ?? "no reason given"})`
    : `it was still open after ${seconds} s`;
}
