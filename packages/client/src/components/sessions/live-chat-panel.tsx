import type { Message } from "@agent-ops/shared/message-parts";
import type { RefObject } from "react";
import { type Chat, useSession } from "../../hooks/use-chat.ts";
import { activityOf, type PendingPrompt } from "../../lib/session-model.ts";
import { useAuth } from "../../stores/auth-store.ts";
import { ActivityLine } from "../chat/activity-line.tsx";
import { Composer } from "../chat/composer.tsx";
import { AgentMessage, UserMessage } from "../chat/message-item.tsx";
import { MessageScroller } from "../chat/message-scroller.tsx";
import { PanelFrame } from "../chat/panel-frame.tsx";
import { QueueList } from "../chat/queue-list.tsx";
import { Suggestions } from "../chat/suggestions.tsx";

type LiveChatPanelProps = { chat: Chat; input: RefObject<HTMLTextAreaElement | null>; className?: string };

/** The session over its own socket: everybody's prompts, the queue, and every event as it happens. */
export function LiveChatPanel({ chat, input, className }: LiveChatPanelProps) {
  const queue = useSession(chat, ({ state }) => state.queue);
  const running = useSession(chat, ({ state }) => state.activeTurnId !== undefined);
  const activity = useSession(chat, ({ state }) => activityOf(state));
  const viewer = useSession(chat, ({ state }) => state.session?.role === "viewer");
  return (
    <PanelFrame
      id="live-panel"
      title="Live session"
      sentence="The session itself, over its WebSocket: everyone’s messages as they happen."
      className={className}
    >
      <MessageScroller label="Live session">
        <LiveMessages chat={chat} />
      </MessageScroller>
      <ActivityLine running={running} activity={activity} />
      <QueueList items={queue} onWithdraw={chat.actions.withdraw} />
      <Composer
        label="Message to the agent"
        placeholder="Message the agent"
        running={running}
        blocked={viewer ? "You can read this session, not write in it." : undefined}
        input={input}
        onSend={chat.actions.prompt}
        onStop={chat.actions.stop}
      />
    </PanelFrame>
  );
}

function LiveMessages({ chat }: { chat: Chat }) {
  const ready = useSession(chat, ({ state }) => state.session !== undefined);
  const messages = useSession(chat, ({ state }) => state.messages);
  const pending = useSession(chat, ({ state }) => state.pending);
  const viewer = useSession(chat, ({ state }) => state.session?.role === "viewer");
  if (!ready) return <p className="m-auto text-sm text-ink-muted">Opening the session…</p>;
  if (messages.length === 0 && pending.length === 0)
    return <Suggestions title="Say something, or try one of these." disabled={viewer} onPick={chat.actions.prompt} />;
  return (
    <>
      {messages.map((message) => (
        <LiveMessage key={message.id} chat={chat} message={message} canAnswer={!viewer} />
      ))}
      {pending.map((prompt) => (
        <PendingMessage key={prompt.id} prompt={prompt} onForget={chat.actions.forget} />
      ))}
    </>
  );
}

function LiveMessage({ chat, message, canAnswer }: { chat: Chat; message: Message; canAnswer: boolean }) {
  const questions = useSession(chat, ({ state }) => state.questions);
  const running = useSession(chat, ({ state }) => state.activeTurnId === message.turnId);
  const me = useAuth(({ auth }) => (auth.kind === "signed-in" ? auth.user : undefined));
  if (message.role === "user")
    return <UserMessage parts={message.parts} author={message.userId === me ? undefined : message.userId} />;
  return (
    <AgentMessage
      parts={message.parts}
      running={running}
      canAnswer={canAnswer}
      questions={questions}
      onAnswer={chat.actions.answer}
    />
  );
}

function PendingMessage({ prompt, onForget }: { prompt: PendingPrompt; onForget: (id: string) => void }) {
  const failed = prompt.state === "failed";
  return (
    <div className="flex flex-col items-end">
      <UserMessage
        parts={[{ type: "text", text: prompt.text }]}
        note={failed ? prompt.error : "Sending…"}
        pale={!failed}
      />
      {failed && (
        <button type="button" className="px-1 text-xs text-bad underline" onClick={() => onForget(prompt.id)}>
          Dismiss
        </button>
      )}
    </div>
  );
}
