import type { Answer } from "@agent-ops/shared/questions";
import type { FormEvent } from "react";
import { Button } from "../ui/button.tsx";
import { INPUT } from "./question-form.tsx";

type QuestionTextProps = { prompt: string; onAnswer: (answer: Answer) => void };

export function QuestionText({ prompt, onAnswer }: QuestionTextProps) {
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const value = new FormData(event.currentTarget).get("value");
    if (typeof value === "string" && value !== "") onAnswer({ value });
  };
  return (
    <form onSubmit={submit} className="flex gap-2">
      <input name="value" aria-label={prompt} autoComplete="off" className={INPUT} />
      <Button type="submit" look="primary">
        Answer
      </Button>
    </form>
  );
}
