import type { Answer } from "@agent-ops/shared/questions";
import { Check, X } from "lucide-react";
import { type FormEvent, useState } from "react";
import { useAnswerKeys } from "../../hooks/use-answer-keys.ts";
import { Button } from "../ui/button.tsx";
import { Input } from "../ui/field.tsx";
import { Keys } from "../ui/keys.tsx";

/** `y` approves, `n` denies, `a` approves this kind of thing for the rest of the session. */
export function QuestionApproval({ onAnswer }: { onAnswer: (answer: Answer) => void }) {
  const [reasoning, setReasoning] = useState(false);
  useAnswerKeys({
    y: () => onAnswer({ approved: true }),
    n: () => onAnswer({ approved: false }),
    a: () => onAnswer({ approved: true, always: true }),
  });
  const deny = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const reason = new FormData(event.currentTarget).get("reason");
    onAnswer({ approved: false, ...(typeof reason === "string" && reason !== "" ? { reason } : {}) });
  };
  if (reasoning)
    return (
      <form onSubmit={deny} className="flex flex-wrap gap-2">
        <Input
          name="reason"
          aria-label="Why not"
          placeholder="What should it do instead?"
          ref={(input) => input?.focus()}
          onKeyDown={(event) => event.key === "Escape" && setReasoning(false)}
          className="flex-1 basis-48"
        />
        <Button type="submit" look="danger">
          Deny
        </Button>
      </form>
    );
  return (
    <div className="flex flex-wrap items-center gap-2">
      <Button look="primary" icon={Check} onClick={() => onAnswer({ approved: true })}>
        Approve
        <Keys keys="Y" />
      </Button>
      <Button icon={X} onClick={() => onAnswer({ approved: false })}>
        Deny
        <Keys keys="N" />
      </Button>
      <Button look="quiet" onClick={() => onAnswer({ approved: true, always: true })}>
        Always in this session
        <Keys keys="A" />
      </Button>
      <Button look="quiet" onClick={() => setReasoning(true)}>
        Deny and say why…
      </Button>
    </div>
  );
}
