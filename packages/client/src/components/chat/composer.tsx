import type { AgentCommand } from "@agent-ops/shared/events";
import { ArrowUp, Paperclip, Square } from "lucide-react";
import { type FormEvent, type KeyboardEvent, type ReactNode, type RefObject, useRef } from "react";
import { useAttachments } from "../../hooks/use-attachments.ts";
import { useDraft } from "../../hooks/use-draft.ts";
import { useSlashMenu } from "../../hooks/use-slash-menu.ts";
import type { PromptDraft } from "../../lib/session-model.ts";
import { IconButton } from "../ui/button.tsx";
import { FileChip } from "./file-chip.tsx";
import { SlashMenu } from "./slash-menu.tsx";

type ComposerProps = {
  /** Under which name a draft is kept. */
  name: string;
  label: string;
  placeholder: string;
  running: boolean;
  /** Why nothing can be sent, where that is so. */
  blocked?: string | undefined;
  commands?: readonly AgentCommand[];
  input: RefObject<HTMLTextAreaElement | null>;
  /** Further choices, beside the attachments. */
  children?: ReactNode;
  onSend: (draft: PromptDraft) => void;
  onStop: () => void;
};

/** Enter sends, Shift+Enter starts a new line. A message can be sent while the agent works: it waits for its turn. */
export function Composer({ commands = [], onSend, onStop, input, running, blocked, ...props }: ComposerProps) {
  const [text, setText] = useDraft(props.name);
  const attachments = useAttachments();
  const slash = useSlashMenu(text, commands, setText);
  const ready = (text.trim() !== "" || attachments.files.length > 0) && blocked === undefined;
  const send = () => {
    if (!ready) return;
    onSend({ text: text.trim(), ...(attachments.files.length > 0 ? { attachments: attachments.files } : {}) });
    setText("");
    attachments.clear();
  };
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    send();
  };
  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    if (slash.onKeyDown(event)) return;
    if (event.key === "Escape" && running) onStop();
    if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    send();
  };
  return (
    <form onSubmit={onSubmit} className="relative mx-auto w-full max-w-3xl px-3 pb-3 sm:px-5 sm:pb-4">
      <SlashMenu menu={slash} />
      <div
        {...attachments.drop}
        className="rounded-2xl border border-line-strong bg-surface p-2 shadow-low transition-colors focus-within:border-accent"
      >
        <AttachedFiles attachments={attachments} />
        <textarea
          ref={input}
          rows={1}
          value={text}
          aria-label={props.label}
          {...slash.inputProps}
          placeholder={blocked ?? props.placeholder}
          disabled={blocked !== undefined}
          onChange={(event) => setText(event.target.value)}
          onKeyDown={onKeyDown}
          onPaste={attachments.onPaste}
          className="field-sizing-content block max-h-56 min-h-9 w-full resize-none bg-transparent px-2 py-1.5 text-base outline-none placeholder:text-ink-muted sm:text-[0.9375rem]"
        />
        <div className="flex items-center gap-1">
          <AttachButton attachments={attachments} disabled={blocked !== undefined} />
          <div className="flex min-w-0 flex-1 items-center gap-1">{props.children}</div>
          <TurnButtons running={running} ready={ready} onStop={onStop} />
        </div>
      </div>
    </form>
  );
}

type Attachments = ReturnType<typeof useAttachments>;

function AttachedFiles({ attachments: { files, remove } }: { attachments: Attachments }) {
  if (files.length === 0) return null;
  return (
    <div className="flex flex-wrap gap-2 px-1 pt-1 pb-2">
      {files.map((file) => (
        <FileChip key={`${file.filename} ${file.url}`} file={file} onRemove={() => remove(file)} />
      ))}
    </div>
  );
}

function AttachButton({ attachments: { add }, disabled }: { attachments: Attachments; disabled: boolean }) {
  const picker = useRef<HTMLInputElement>(null);
  return (
    <>
      <IconButton icon={Paperclip} label="Attach files" disabled={disabled} onClick={() => picker.current?.click()} />
      <input
        ref={picker}
        type="file"
        multiple
        hidden
        aria-label="Files to attach"
        onChange={(event) => {
          void add([...(event.target.files ?? [])]);
          event.target.value = "";
        }}
      />
    </>
  );
}

function TurnButtons({ running, ready, onStop }: { running: boolean; ready: boolean; onStop: () => void }) {
  return (
    <>
      {running && (
        <IconButton
          icon={Square}
          label="Stop the agent"
          keys="Esc"
          look="plain"
          iconClassName="size-3 fill-current"
          onClick={onStop}
        />
      )}
      <IconButton
        type="submit"
        icon={ArrowUp}
        label={running ? "Send when the agent is done" : "Send"}
        keys="↵"
        look="primary"
        disabled={!ready}
      />
    </>
  );
}
