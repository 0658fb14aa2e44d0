import { type FormEvent, type KeyboardEvent, type RefObject, useState } from "react";
import { IconButton } from "../ui/button.tsx";

type ComposerProps = {
  label: string;
  placeholder: string;
  running: boolean;
  /** Why nothing can be sent, where that is so. */
  blocked?: string;
  input: RefObject<HTMLTextAreaElement | null>;
  onSend: (text: string) => void;
  onStop: () => void;
};

/** Enter sends, Shift+Enter starts a new line. A message can be sent while the agent works: it waits for its turn. */
export function Composer({ label, placeholder, running, blocked, input, onSend, onStop }: ComposerProps) {
  const [text, setText] = useState("");
  const ready = text.trim() !== "" && blocked === undefined;
  const send = () => {
    if (!ready) return;
    onSend(text.trim());
    setText("");
  };
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    send();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    send();
  };
  return (
    <form onSubmit={onSubmit} className="mx-auto w-full max-w-3xl px-3 pb-3 sm:px-5 sm:pb-4">
      <div className="flex items-end gap-1.5 rounded-2xl border border-line-strong bg-surface p-1.5 shadow-xs focus-within:border-accent">
        <textarea
          ref={input}
          rows={1}
          value={text}
          aria-label={label}
          placeholder={blocked ?? placeholder}
          disabled={blocked !== undefined}
          onChange={(event) => setText(event.target.value)}
          onKeyDown={onKeyDown}
          className="field-sizing-content max-h-48 min-h-9 flex-1 resize-none bg-transparent px-2.5 py-1.5 text-base outline-none placeholder:text-ink-muted sm:text-[0.9375rem]"
        />
        {running && <IconButton icon="stop" label="Stop the agent" look="danger" onClick={onStop} />}
        <IconButton
          type="submit"
          icon="send"
          label={running ? "Send when the agent is done" : "Send"}
          look="primary"
          disabled={!ready}
        />
      </div>
    </form>
  );
}
