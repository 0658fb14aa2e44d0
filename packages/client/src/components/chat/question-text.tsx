import type { Answer } from "@agent-ops/shared/questions";
import type { FormEvent } from "react";
import { Button } from "../ui/button.tsx";
import { Input } from "../ui/field.tsx";

type QuestionTextProps = { prompt: string; onAnswer: (answer: Answer) => void };

export function QuestionText({ prompt, onAnswer }: QuestionTextProps) {
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const value = new FormData(event.currentTarget).get("value");
    if (typeof value === "string" && value !== "") onAnswer({ value });
  };
  return (
    <form onSubmit={submit} className="flex gap-2">
      <Input name="value" aria-label={prompt} autoComplete="off" />
      <Button type="submit" look="primary">
        Answer
      </Button>
    </form>
  );
}
