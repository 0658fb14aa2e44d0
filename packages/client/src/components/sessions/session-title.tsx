import { LIMITS } from "@agent-ops/shared/limits";
import { type FormEvent, useState } from "react";
import { IconButton } from "../ui/button.tsx";

type SessionTitleProps = { title: string; editable: boolean; onRename: (title: string) => void };

export function SessionTitle({ title, editable, onRename }: SessionTitleProps) {
  const [editing, setEditing] = useState(false);
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const next = new FormData(event.currentTarget).get("title");
    setEditing(false);
    if (typeof next === "string" && next.trim() !== "" && next.trim() !== title) onRename(next.trim());
  };
  if (!editing)
    return (
      <div className="group flex min-w-0 items-center gap-1">
        <h1 className="truncate font-semibold">{title}</h1>
        {editable && (
          <IconButton
            icon="pencil"
            label="Rename this session"
            className="size-8 opacity-0 group-hover:opacity-100 focus-visible:opacity-100 max-sm:hidden"
            onClick={() => setEditing(true)}
          />
        )}
      </div>
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
        onKeyDown={(event) => event.key === "Escape" && setEditing(false)}
        className="w-full max-w-md rounded-lg border border-line-strong bg-surface px-2 py-0.5 font-semibold"
      />
    </form>
  );
}
