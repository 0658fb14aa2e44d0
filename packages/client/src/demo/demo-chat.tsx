import type { RuntimeTransport } from "@agent-ops/ai-sdk";
import { useChat } from "@ai-sdk/react";
import { type FormEvent, type RefObject, useEffect, useState } from "react";
import { Button } from "../components/ui/button.tsx";
import { SUGGESTIONS } from "./essay-flow.ts";
import { type DemoMessage, MessageView } from "./message-view.tsx";

const CHAT_ID = "in-process";

type DemoChatProps = {
  transport: RuntimeTransport;
  /** Outlives the chat, as a store of the page's own would. */
  history: RefObject<DemoMessage[]>;
  onPause: () => void;
};

export function DemoChat({ transport, history, onPause }: DemoChatProps) {
  const chat = useChat<DemoMessage>({ id: CHAT_ID, messages: history.current, transport, resume: true });
  const { messages, status, error, sendMessage } = chat;
  const busy = status === "submitted" || status === "streaming";
  const paused = busy && isPaused(messages.at(-1));
  useEffect(() => {
    history.current = messages;
  }, [history, messages]);
  const stop = () => {
    void chat.stop();
    transport.abort(CHAT_ID);
  };
  return (
    <section aria-label="Chat" data-testid="chat" data-status={status} className="flex min-h-0 flex-1 flex-col gap-3">
      <ol aria-live="polite" className="flex min-h-0 flex-1 flex-col gap-4 overflow-y-auto">
        {messages.map((message) => (
          <MessageView key={message.id} message={message} />
        ))}
      </ol>
      {error && (
        <p role="alert" className="rounded-xl bg-bad-soft px-3.5 py-2.5 text-sm text-bad">
          {error.message}
        </p>
      )}
      <div className="flex flex-wrap gap-2">
        {busy && !paused && <Button onClick={onPause}>Pause</Button>}
        {paused && <Button onClick={() => void sendMessage()}>Resume</Button>}
        {busy && (
          <Button look="danger" onClick={stop}>
            Stop
          </Button>
        )}
        {messages.length > 0 && !busy && <Button onClick={() => void chat.regenerate()}>Write again</Button>}
        {messages.length === 0 && <Suggestions onPick={(text) => void sendMessage({ text })} />}
      </div>
      <Composer disabled={busy && !paused} onSend={(text) => void sendMessage({ text })} />
    </section>
  );
}

function isPaused(message: DemoMessage | undefined): boolean {
  return message?.parts.some((part) => part.type === "data-flow-status" && part.data.status === "paused") ?? false;
}

function Suggestions({ onPick }: { onPick: (text: string) => void }) {
  return SUGGESTIONS.map((text) => (
    <Button key={text} onClick={() => onPick(text)}>
      {text}
    </Button>
  ));
}

function Composer({ disabled, onSend }: { disabled: boolean; onSend: (text: string) => void }) {
  const [text, setText] = useState("");
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (text.trim() === "") return;
    onSend(text.trim());
    setText("");
  };
  return (
    <form onSubmit={submit} className="flex items-center gap-2">
      <input
        aria-label="Message to the flow"
        placeholder="What shall they write about?"
        value={text}
        disabled={disabled}
        onChange={(event) => setText(event.target.value)}
        className="min-w-0 flex-1 rounded-xl border border-line-strong bg-surface px-3.5 py-2 disabled:opacity-60"
      />
      <Button type="submit" look="primary" disabled={disabled || text.trim() === ""}>
        Send
      </Button>
    </form>
  );
}
