import type { StreamChunk } from "@agent-ops/ai-sdk/stream-checker";
import { describeAnswer, type Recording } from "../recording.ts";
import { isLogged, readStream } from "../stream-view.ts";
import { type Finding, failed, passed, plural, skipped, type Verdict, verdictOf, warned } from "../verdict.ts";
import type { Verdicts } from "./answer.ts";
import { firstDifference, isSame } from "./chunk-difference.ts";
import { checkHeaders } from "./headers.ts";

/** A resume asked for when `cut` chunks had been received. */
export type Trial = { readonly cut: number; readonly recording: Recording };

/** One turn, and the attempts to resume it while it ran. */
export type ResumedTurn = {
  readonly whole: Recording;
  readonly replays: readonly Trial[];
  readonly indexed: readonly Trial[];
};

/** `late`: the turn had ended by then. `absent`: there is no such thing here. `ignored`: it replayed from the start. */
type Outcome = "same" | "late" | "absent" | "ignored" | { readonly difference: string };

const NOT_OFFERED = new Set([400, 404, 405, 501]);
/** The server knows of the end before we do, by this much at most. */
const END_MARGIN_MS = 500;
const END_MARGIN_SHARE = 0.25;

export function checkResume(turns: readonly ResumedTurn[], idle: Recording): Verdicts {
  const replays = turns.flatMap((turn) => turn.replays.map((trial) => ({ trial, outcome: replayed(turn, trial) })));
  const indexed = turns.flatMap((turn) => turn.indexed.map((trial) => ({ trial, outcome: continued(turn, trial) })));
  const isOffered = replays.some(({ outcome }) => outcome === "same" || typeof outcome === "object");
  return {
    "resume.replay": judge(replays, "resuming is not supported"),
    "resume.start-index": judge(indexed, isOffered ? "startIndex is not supported" : "resuming is not supported"),
    "resume.headers": checkResumedHeaders(turns),
    "resume.idle": checkIdle(idle, isOffered),
  };
}

function checkResumedHeaders(turns: readonly ResumedTurn[]): Verdict {
  const streams = turns.flatMap(({ replays }) => replays.map(({ recording }) => readStream(recording)));
  const resumed = streams.filter(({ chunks }) => chunks.length > 0);
  if (resumed.length === 0) return skipped("no turn was resumed");
  const verdicts = Object.values(checkHeaders(resumed));
  const wrong = verdicts.flatMap((verdict): Finding[] =>
    "seen" in verdict ? [{ severity: verdict.status, seen: verdict.seen }] : [],
  );
  return verdictOf(wrong);
}

type Judged = { readonly trial: Trial; readonly outcome: Outcome };

function judge(trials: readonly Judged[], absence: string): Verdict {
  const findings = trials.flatMap(({ trial, outcome }): Finding[] =>
    typeof outcome === "object"
      ? [{ severity: "failed", seen: `resumed after ${plural(trial.cut, "chunk")}: ${outcome.difference}` }]
      : [],
  );
  const count = (wanted: Outcome) => trials.filter(({ outcome }) => outcome === wanted).length;
  const same = count("same");
  const late = count("late");
  if (findings.length > 0) return verdictOf(findings);
  if (same > 0 && count("ignored") > 0)
    return failed(`startIndex was ignored ${count("ignored")} times and heeded ${same} times`);
  if (same > 0 && count("absent") > 0)
    return failed(`resuming worked ${same} times and was refused ${count("absent")} times`);
  if (same > 0) return passed(`${plural(same, "cut point")}${late > 0 ? `, ${late} more came after the end` : ""}`);
  if (count("ignored") > 0) return skipped(`${absence}: it replays from the start`);
  const [absent] = trials.filter(({ outcome }) => outcome === "absent");
  if (absent) return skipped(`${absence}: HTTP ${absent.trial.recording.status}`);
  return skipped(late > 0 ? "the answer was over before it could be resumed; try a longer --prompt" : absence);
}

function replayed(turn: ResumedTurn, trial: Trial): Outcome {
  return outcomeOf(turn, trial, (whole, got) => {
    const difference = firstDifference(whole, got);
    return difference === undefined ? "same" : { difference };
  });
}

function continued(turn: ResumedTurn, trial: Trial): Outcome {
  return outcomeOf(turn, trial, (whole, got) => {
    const difference = firstDifference(whole.slice(trial.cut), got, trial.cut);
    if (difference === undefined) return "same";
    return isSame(whole, got) ? "ignored" : { difference };
  });
}

type Compare = (whole: readonly StreamChunk[], got: readonly StreamChunk[]) => Outcome;

function outcomeOf({ whole }: ResumedTurn, { recording }: Trial, compare: Compare): Outcome {
  const { status, answeredAt } = recording;
  const isLate = answeredAt >= endOf(whole);
  if (status === 204 || NOT_OFFERED.has(status)) return isLate ? "late" : "absent";
  const got = readStream(recording).chunks.filter(isLogged);
  if (status === 200 && got.length > 0) return compare(readStream(whole).chunks.filter(isLogged), got);
  return status === 200 && isLate ? "late" : { difference: describeAnswer(recording) };
}

/** From here on the server may rightly say that nothing runs. */
function endOf({ startedAt, endedAt, pieces }: Recording): number {
  const lastAt = pieces.at(-1)?.at ?? endedAt;
  return lastAt - Math.min(END_MARGIN_MS, (lastAt - startedAt) * END_MARGIN_SHARE);
}

/** What a page gets that asks when nothing runs. A 404 is only wrong where resuming is offered at all. */
function checkIdle(recording: Recording, isOffered: boolean): Verdict {
  const { status } = recording;
  if (status === 204) return passed();
  if (NOT_OFFERED.has(status)) {
    return isOffered ? failed(`HTTP ${status}`) : skipped(`resuming is not supported: HTTP ${status}`);
  }
  if (status !== 200) return failed(describeAnswer(recording));
  const { chunks } = readStream(recording);
  if (chunks.length > 0) return failed(`HTTP 200 with ${plural(chunks.length, "chunk")} of a turn that has ended`);
  return warned(`${describeAnswer(recording)}, which clients take for an answer without content`);
}
