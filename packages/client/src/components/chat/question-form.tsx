import type { Answer } from "@agent-ops/shared/questions";
import { type FormEvent, useId } from "react";
import { contentOf, type FormField, fieldsOf } from "../../lib/form-fields.ts";
import { Button } from "../ui/button.tsx";
import { Choice, Input } from "../ui/field.tsx";

type QuestionFormProps = { schema: Record<string, unknown> | undefined; onAnswer: (answer: Answer) => void };

/** A form made from a JSON Schema of simple fields. */
export function QuestionForm({ schema, onAnswer }: QuestionFormProps) {
  const fields = fieldsOf(schema);
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (fields) onAnswer({ action: "accept", content: contentOf(fields, new FormData(event.currentTarget)) });
  };
  return (
    <form onSubmit={submit} className="max-w-md space-y-3">
      {fields?.map((field) => (
        <Field key={field.name} field={field} />
      ))}
      {fields === undefined && <p className="text-sm text-bad">This page cannot show the form that was asked for.</p>}
      <div className="flex flex-wrap gap-2">
        <Button type="submit" look="primary" disabled={fields === undefined}>
          Submit
        </Button>
        <Button onClick={() => onAnswer({ action: "decline" })}>Decline</Button>
      </div>
    </form>
  );
}

function Field({ field }: { field: FormField }) {
  const id = useId();
  const hint = field.description === undefined ? undefined : `${id}-hint`;
  const label = (
    <label htmlFor={id} className="text-sm font-medium">
      {field.label}
      {!field.required && field.kind !== "boolean" && <span className="font-normal text-ink-muted"> (optional)</span>}
    </label>
  );
  return (
    <div className="space-y-1">
      {field.kind === "boolean" ? (
        <div className="flex items-center gap-2">
          <FieldInput field={field} id={id} hint={hint} />
          {label}
        </div>
      ) : (
        <>
          {label}
          <FieldInput field={field} id={id} hint={hint} />
        </>
      )}
      {hint && (
        <p id={hint} className="text-xs text-ink-muted">
          {field.description}
        </p>
      )}
    </div>
  );
}

function FieldInput({ field, id, hint }: { field: FormField; id: string; hint: string | undefined }) {
  const common = { id, name: field.name, "aria-describedby": hint };
  switch (field.kind) {
    case "boolean":
      return (
        <input
          {...common}
          type="checkbox"
          defaultChecked={field.initial === "true"}
          className="size-4 accent-accent-fill"
        />
      );
    case "choice":
      return (
        <Choice {...common} required={field.required} defaultValue={field.initial ?? ""}>
          <option value="">Choose…</option>
          {field.options?.map((option) => (
            <option key={option.value} value={option.value}>
              {option.label}
            </option>
          ))}
        </Choice>
      );
    case "number":
    case "integer":
      return (
        <Input
          {...common}
          type="number"
          step={field.kind === "integer" ? 1 : "any"}
          required={field.required}
          defaultValue={field.initial}
        />
      );
    case "string":
      return <Input {...common} type="text" required={field.required} defaultValue={field.initial} />;
    default:
      return field.kind satisfies never;
  }
}
