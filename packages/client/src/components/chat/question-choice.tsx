import type { Answer, Question } from "@agent-ops/shared/questions";
import { useAnswerKeys } from "../../hooks/use-answer-keys.ts";

type Option = NonNullable<Question["options"]>[number];

/** The digits choose. */
export function QuestionChoice({
  options,
  onAnswer,
}: {
  options: readonly Option[];
  onAnswer: (answer: Answer) => void;
}) {
  const numbered = options.slice(0, 9).map(({ value }, at) => [String(at + 1), () => onAnswer({ value })]);
  useAnswerKeys(Object.fromEntries(numbered));
  return (
    <ul className="grid gap-1.5 sm:grid-cols-2">
      {options.map((option, at) => (
        <li key={option.value}>
          <button
            type="button"
            onClick={() => onAnswer({ value: option.value })}
            className="flex h-full w-full items-start gap-2.5 rounded-lg border border-line-strong bg-surface px-3 py-2 text-left shadow-low transition-colors hover:border-accent"
          >
            <span
              aria-hidden="true"
              className="mt-0.5 grid size-4.5 shrink-0 place-items-center rounded bg-raised font-sans text-2xs text-ink-muted"
            >
              {at + 1}
            </span>
            <span className="min-w-0">
              <span className="block text-sm font-medium">{option.label}</span>
              {option.description !== undefined && (
                <span className="block text-xs text-ink-muted">{option.description}</span>
              )}
            </span>
          </button>
        </li>
      ))}
    </ul>
  );
}
