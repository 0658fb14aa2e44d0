import type { CheckId } from "../catalogue.ts";
import { describeAnswer, isSuccess } from "../recording.ts";
import type { StreamView } from "../stream-view.ts";
import { type Finding, plural, skipped, type Verdict, verdictOf } from "../verdict.ts";

export type Verdicts = Partial<Record<CheckId, Verdict>>;

export function checkAnswers(views: readonly StreamView[]): Verdicts {
  const refused = views.filter(({ recording }) => !isSuccess(recording) || recording.status === 204);
  const answered = views.filter((view) => !refused.includes(view));
  const empty = answered.filter(({ recording }) => recording.pieces.length === 0);
  return {
    "answer.status": verdictOf(
      refused.map(({ recording }) => finding(recording.name, describeAnswer(recording))),
      plural(views.length, "request"),
    ),
    "answer.body":
      answered.length === 0
        ? skipped("no request was accepted")
        : verdictOf(
            empty.map(({ recording }) => finding(recording.name, `HTTP ${recording.status} with an empty body`)),
          ),
  };
}

function finding(name: string, seen: string): Finding {
  return { severity: "failed", seen: `${name}: ${seen}` };
}
