import type { MessagePart } from "@agent-ops/shared/message-parts";
import { Pencil } from "lucide-react";
import { type KeyboardEvent, memo, useState } from "react";
import { plainText } from "../../lib/part-groups.ts";
import { Avatar } from "../ui/avatar.tsx";
import { Button, IconButton } from "../ui/button.tsx";
import { CopyButton } from "../ui/copy-button.tsx";
import { useConversation } from "./chat-context.tsx";
import { FileChip } from "./file-chip.tsx";
import { QUIET } from "./message-actions.tsx";

type UserMessageProps = {
  /** Undefined for a message that is still on its way. */
  messageId?: string;
  parts: readonly MessagePart[];
  author?: string | undefined;
  note?: string | undefined;
};

export const UserMessage = memo(function UserMessage({ messageId, parts, author, note }: UserMessageProps) {
  const { canRewrite, onEdit } = useConversation();
  const [editing, setEditing] = useState(false);
  const text = plainText(parts);
  const save = (next: string) => {
    setEditing(false);
    if (messageId !== undefined && next !== text) onEdit(messageId, next);
  };
  return (
    <article
      aria-label={author ?? "You"}
      data-testid="user-message"
      className="group/message flex w-full flex-col items-end gap-1"
    >
      {author !== undefined && <Author name={author} />}
      <Files parts={parts} />
      {editing && <EditForm text={text} onCancel={() => setEditing(false)} onSave={save} />}
      {!editing && text !== "" && (
        <div
          className={`max-w-[85%] rounded-2xl rounded-br-md bg-raised px-3.5 py-2 text-[0.9375rem] leading-relaxed whitespace-pre-wrap wrap-anywhere ${note === undefined ? "" : "opacity-60"}`}
        >
          {text}
        </div>
      )}
      {note !== undefined && <span className="px-1 text-xs text-ink-muted">{note}</span>}
      {messageId !== undefined && !editing && (
        <div className={`-mb-6 flex h-7 ${QUIET}`}>
          <CopyButton text={text} label="Copy your message" />
          {canRewrite && author === undefined && <EditButton onClick={() => setEditing(true)} />}
        </div>
      )}
    </article>
  );
});

function Author({ name }: { name: string }) {
  return (
    <span className="flex items-center gap-1.5 px-1 text-xs text-ink-muted">
      <Avatar name={name} className="size-4 text-[0.5625rem]" />
      {name}
    </span>
  );
}

function Files({ parts }: { parts: readonly MessagePart[] }) {
  const files = parts.filter((part) => part.type === "file");
  if (files.length === 0) return null;
  return (
    <div className="flex max-w-[85%] flex-wrap justify-end gap-2">
      {files.map((file) => (
        <FileChip key={`${file.filename} ${file.url}`} file={file} />
      ))}
    </div>
  );
}

function EditButton({ onClick }: { onClick: () => void }) {
  return (
    <IconButton
      icon={Pencil}
      label="Edit and ask again"
      className="size-7"
      iconClassName="size-3.5"
      onClick={onClick}
    />
  );
}

type EditFormProps = { text: string; onCancel: () => void; onSave: (text: string) => void };

/** What follows the message leaves the conversation when it is asked again. */
function EditForm({ text, onCancel, onSave }: EditFormProps) {
  const [draft, setDraft] = useState(text);
  const save = () => draft.trim() !== "" && onSave(draft.trim());
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "Escape") onCancel();
    if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    save();
  };
  return (
    <div className="w-full rounded-2xl border border-accent-line bg-surface p-2.5 shadow-low">
      <textarea
        ref={(area) => area?.focus()}
        aria-label="Edit your message"
        value={draft}
        onChange={(event) => setDraft(event.target.value)}
        onKeyDown={onKeyDown}
        className="field-sizing-content max-h-72 w-full resize-none bg-transparent px-1.5 text-[0.9375rem] outline-none"
      />
      <div className="flex items-center justify-end gap-2">
        <p className="min-w-0 flex-1 truncate px-1.5 text-xs text-ink-muted">What follows will be replaced.</p>
        <Button size="small" look="quiet" onClick={onCancel}>
          Cancel
        </Button>
        <Button size="small" look="primary" onClick={save}>
          Ask again
        </Button>
      </div>
    </div>
  );
}
