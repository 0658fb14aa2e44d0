import type { Answer, Question } from "@agent-ops/shared/questions";
import { CircleHelp, ShieldQuestion } from "lucide-react";
import { useId } from "react";
import type { QuestionState } from "../../lib/session-model.ts";
import { Markdown } from "../markdown/markdown.tsx";
import { QuestionApproval } from "./question-approval.tsx";
import { QuestionChoice } from "./question-choice.tsx";
import { QuestionForm } from "./question-form.tsx";
import { QuestionText } from "./question-text.tsx";

type QuestionCardProps = {
  asked: QuestionState;
  open: boolean;
  canAnswer: boolean;
  onAnswer: (questionId: string, answer: Answer) => void;
};

export function QuestionCard({ asked, open, canAnswer, onAnswer }: QuestionCardProps) {
  const { question, resolution, error } = asked;
  const id = useId();
  const waiting = open && resolution === undefined;
  const Picture = question.kind === "approval" ? ShieldQuestion : CircleHelp;
  return (
    <section
      aria-labelledby={id}
      data-testid="question"
      data-open={waiting}
      className={`rounded-xl border px-4 py-3.5 ${waiting ? "rise border-accent-line bg-accent-soft" : "border-line bg-surface"}`}
    >
      <div className="flex gap-3">
        <Picture
          aria-hidden="true"
          className={`mt-0.5 size-4.5 shrink-0 ${waiting ? "text-accent" : "text-ink-muted"}`}
        />
        <div className="min-w-0 flex-1 space-y-3">
          <div id={id} className="font-medium">
            <Markdown text={question.prompt} streaming={false} />
          </div>
          {waiting && canAnswer && (
            <Controls question={question} onAnswer={(answer) => onAnswer(question.questionId, answer)} />
          )}
          {waiting && !canAnswer && <p className="text-sm text-ink-muted">Somebody who may answer has to.</p>}
          {!waiting && <p className="text-sm text-ink-muted">{outcomeOf(asked)}</p>}
          {error !== undefined && (
            <p role="alert" className="text-sm text-bad">
              {error}
            </p>
          )}
        </div>
      </div>
    </section>
  );
}

function Controls({ question, onAnswer }: { question: Question; onAnswer: (answer: Answer) => void }) {
  switch (question.kind) {
    case "approval":
      return <QuestionApproval onAnswer={onAnswer} />;
    case "choice":
      return <QuestionChoice options={question.options ?? []} onAnswer={onAnswer} />;
    case "text":
      return <QuestionText prompt={question.prompt} onAnswer={onAnswer} />;
    case "form":
      return <QuestionForm schema={question.schema} onAnswer={onAnswer} />;
    default:
      return question.kind satisfies never;
  }
}

function outcomeOf({ question, resolution }: QuestionState): string {
  if (resolution === undefined) return "Settled.";
  if (resolution.outcome === "turn-ended") return "The turn ended before anybody answered.";
  if (resolution.outcome === "expired") return "Expired before anybody answered.";
  const by = resolution.by === undefined ? "" : ` by ${resolution.by}`;
  const { answer } = resolution;
  if (answer === undefined) return `Answered${by}.`;
  if ("approved" in answer) {
    const reason = answer.reason === undefined ? "" : `: ${answer.reason}`;
    return `${answer.approved ? "Approved" : "Denied"}${by}${reason || "."}`;
  }
  if ("action" in answer) return `${FORM_OUTCOME[answer.action]}${by}.`;
  const label = question.options?.find((option) => option.value === answer.value)?.label ?? answer.value;
  return `Answered “${label}”${by}.`;
}

const FORM_OUTCOME = { accept: "Filled in", decline: "Declined", cancel: "Canceled" } as const;
