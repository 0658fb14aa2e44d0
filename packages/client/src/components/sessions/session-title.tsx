import { LIMITS } from "@agent-ops/shared/limits";
import type { FormEvent } from "react";

type SessionTitleProps = {
  title: string;
  editing: boolean;
  onEdit: ((editing: boolean) => void) | undefined;
  onRename: (title: string) => void;
};

export function SessionTitle({ title, editing, onEdit, onRename }: SessionTitleProps) {
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const next = new FormData(event.currentTarget).get("title");
    onEdit?.(false);
    if (typeof next === "string" && next.trim() !== "" && next.trim() !== title) onRename(next.trim());
  };
  if (!editing)
    return (
      <h1 className="truncate text-sm font-semibold tracking-tight">
        {onEdit ? (
          <button type="button" title="Rename" className="max-w-full truncate rounded-sm" onClick={() => onEdit(true)}>
            {title}
          </button>
        ) : (
          title
        )}
      </h1>
    );
  return (
    <form onSubmit={submit} className="min-w-0 flex-1">
      <input
        name="title"
        aria-label="Title of this session"
        defaultValue={title}
        maxLength={LIMITS.titleChars}
        ref={(input) => input?.select()}
        onBlur={(event) => event.currentTarget.form?.requestSubmit()}
        onKeyDown={(event) => event.key === "Escape" && onEdit?.(false)}
        className="w-full max-w-md rounded-md border border-line-strong bg-surface px-2 py-0.5 text-sm font-semibold"
      />
    </form>
  );
}
