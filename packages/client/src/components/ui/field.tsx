import { ChevronDown } from "lucide-react";
import { type ComponentProps, type ReactNode, useId } from "react";

const BOX =
  "w-full min-w-0 rounded-lg border border-line-strong bg-surface text-sm text-ink shadow-low placeholder:text-ink-muted hover:border-ink-muted/50 focus-visible:border-accent disabled:opacity-60 max-sm:text-base";

export function Input({ className = "", ...rest }: ComponentProps<"input">) {
  return <input className={`${BOX} h-8.5 px-2.5 ${className}`} {...rest} />;
}

export function TextArea({ className = "", ...rest }: ComponentProps<"textarea">) {
  return <textarea className={`${BOX} field-sizing-content max-h-48 min-h-16 px-2.5 py-1.5 ${className}`} {...rest} />;
}

/** The system's own list of choices: at home on a phone, and usable by everybody. */
export function Choice({ className = "", children, ...rest }: ComponentProps<"select">) {
  return (
    <span className={`relative block min-w-0 ${className}`}>
      <select className={`${BOX} h-8.5 appearance-none pr-8 pl-2.5`} {...rest}>
        {children}
      </select>
      <ChevronDown
        aria-hidden="true"
        className="pointer-events-none absolute top-2.5 right-2.5 size-3.5 text-ink-muted"
      />
    </span>
  );
}

type FieldProps = { label: string; hint?: string; optional?: boolean; children: (ids: FieldIds) => ReactNode };
type FieldIds = { id: string; "aria-describedby"?: string };

export function Field({ label, hint, optional = false, children }: FieldProps) {
  const id = useId();
  const hintId = hint === undefined ? undefined : `${id}-hint`;
  return (
    <div className="space-y-1.5">
      <label htmlFor={id} className="block text-sm font-medium">
        {label}
        {optional && <span className="font-normal text-ink-muted"> (optional)</span>}
      </label>
      {children(hintId === undefined ? { id } : { id, "aria-describedby": hintId })}
      {hint !== undefined && (
        <p id={hintId} className="text-xs text-ink-muted">
          {hint}
        </p>
      )}
    </div>
  );
}
