import type { Answer, Question } from "@agent-ops/shared/questions";
import type { QuestionState } from "../../lib/session-model.ts";
import { Button } from "../ui/button.tsx";
import { Icon } from "../ui/icon.tsx";
import { QuestionForm } from "./question-form.tsx";
import { QuestionText } from "./question-text.tsx";

export type AnswerQuestion = (questionId: string, answer: Answer) => void;

type QuestionCardProps = { asked: QuestionState; open: boolean; onAnswer: AnswerQuestion };

export function QuestionCard({ asked, open, onAnswer }: QuestionCardProps) {
  const { question, resolution, error } = asked;
  const waiting = open && resolution === undefined;
  return (
    <section
      aria-label={`Question: ${question.prompt}`}
      data-testid="question"
      data-open={waiting}
      className={`rounded-xl border px-3.5 py-3 ${waiting ? "border-accent/50 bg-accent-soft" : "border-line bg-surface"}`}
    >
      <div className="flex gap-2.5">
        <Icon name="question" className={`mt-0.5 size-5 ${waiting ? "text-accent" : "text-ink-muted"}`} />
        <div className="min-w-0 flex-1 space-y-2.5">
          <p className="wrap-anywhere whitespace-pre-wrap">
            {question.prompt}
            {question.toolName && <span className="ml-2 font-mono text-xs text-ink-muted">{question.toolName}</span>}
          </p>
          {waiting ? (
            <Controls question={question} onAnswer={(answer) => onAnswer(question.questionId, answer)} />
          ) : (
            <p className="text-sm text-ink-muted">{outcomeOf(asked)}</p>
          )}
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
      return (
        <div className="flex flex-wrap gap-2">
          <Button look="primary" icon="check" onClick={() => onAnswer({ approved: true })}>
            Approve
          </Button>
          <Button onClick={() => onAnswer({ approved: false })}>Deny</Button>
        </div>
      );
    case "choice":
      return (
        <div className="flex flex-wrap gap-2">
          {question.options?.map((option) => (
            <Button key={option.value} title={option.description} onClick={() => onAnswer({ value: option.value })}>
              {option.label}
            </Button>
          ))}
        </div>
      );
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
  if ("approved" in answer) return `${answer.approved ? "Approved" : "Denied"}${by}.`;
  if ("action" in answer) return `${FORM_OUTCOME[answer.action]}${by}.`;
  const label = question.options?.find((option) => option.value === answer.value)?.label ?? answer.value;
  return `Answered “${label}”${by}.`;
}

const FORM_OUTCOME = { accept: "Filled in", decline: "Declined", cancel: "Canceled" } as const;
