import type { Message } from "@agent-ops/shared/message-parts";
import { memo, type RefObject, useCallback, useMemo } from "react";
import { type Chat, useSession } from "../../hooks/use-chat.ts";
import { useCommands } from "../../hooks/use-commands.ts";
import { activityOf, type PendingPrompt } from "../../lib/session-model.ts";
import { useAuth } from "../../stores/auth-store.ts";
import { ActivityLine } from "../chat/activity-line.tsx";
import { AgentMessage } from "../chat/agent-message.tsx";
import { Announcer } from "../chat/announcer.tsx";
import { ConversationProvider } from "../chat/chat-context.tsx";
import { ChatSkeleton } from "../chat/chat-skeleton.tsx";
import { Composer } from "../chat/composer.tsx";
import { MessageList } from "../chat/message-list.tsx";
import { QueueList, queueItems } from "../chat/queue-list.tsx";
import { Suggestions } from "../chat/suggestions.tsx";
import { UserMessage } from "../chat/user-message.tsx";
import { Button } from "../ui/button.tsx";
import { ModelMenu, useModelChoice } from "./model-menu.tsx";
import { blockedBy } from "./session-rights.ts";

type LiveChatPanelProps = { chat: Chat; input: RefObject<HTMLTextAreaElement | null> };

/** The session over its own socket: everybody's prompts, the queue, and every event as it happens. */
export function LiveChatPanel({ chat, input }: LiveChatPanelProps) {
  const session = useSession(chat, ({ state }) => state.session);
  const commands = useCommands(chat);
  const queue = useSession(chat, ({ state }) => state.queue);
  const running = useSession(chat, ({ state }) => state.activeTurnId !== undefined);
  const activity = useSession(chat, ({ state }) => activityOf(state));
  const questions = useSession(chat, ({ state }) => state.questions);
  const models = useModelChoice(chat);
  const blocked = blockedBy(session);
  const conversation = useMemo(() => {
    const { store, actions } = chat;
    const onEdit = (messageId: string, text: string) => {
      const message = store.getState().state.messages.find(({ id }) => id === messageId);
      if (message) actions.edit(message, text);
    };
    const canWrite = blocked === undefined;
    return {
      questions,
      canWrite,
      canApprove: canWrite,
      canRewrite: canWrite,
      onAnswer: actions.answer,
      onEdit,
      onRegenerate: actions.regenerate,
    };
  }, [chat, questions, blocked]);
  return (
    <section aria-label="Conversation" data-testid="live-panel" className="flex min-h-0 min-w-0 flex-1 flex-col">
      <ConversationProvider value={conversation}>
        <LiveMessages chat={chat} />
      </ConversationProvider>
      <Announcer running={running} questions={questions} />
      <ActivityLine running={running} activity={activity} />
      <QueueList items={queueItems(queue)} onWithdraw={blocked === undefined ? chat.actions.withdraw : undefined} />
      <Composer
        name={chat.sessionId}
        label="Message to the agent"
        placeholder={placeholderFor(running, commands.length > 0)}
        running={running}
        blocked={blocked}
        commands={commands}
        input={input}
        onSend={(draft) => chat.actions.prompt({ ...draft, ...(models.chosen ? { model: models.chosen } : {}) })}
        onStop={chat.actions.stop}
      >
        <ModelMenu {...models} />
      </Composer>
    </section>
  );
}

function placeholderFor(running: boolean, hasCommands: boolean): string {
  if (running) return "Ask the next thing; it waits for its turn";
  return hasCommands ? "Message the agent, or type / for commands" : "Message the agent";
}

type Row = { kind: "message"; id: string; message: Message } | { kind: "pending"; id: string; prompt: PendingPrompt };

/** A message keeps its row, so that a row renders again only when its message changed. */
const rows = new WeakMap<Message, Row>();

function rowOf(message: Message): Row {
  const known = rows.get(message);
  if (known) return known;
  const row: Row = { kind: "message", id: message.id, message };
  rows.set(message, row);
  return row;
}

const keyOf = (row: Row) => row.id;

function LiveMessages({ chat }: { chat: Chat }) {
  const session = useSession(chat, ({ state }) => state.session);
  const messages = useSession(chat, ({ state }) => state.messages);
  const pending = useSession(chat, ({ state }) => state.pending);
  const hasOlder = useSession(chat, ({ state }) => state.before !== undefined);
  const items = useMemo(
    () => [...messages.map(rowOf), ...pending.map((prompt): Row => ({ kind: "pending", id: prompt.id, prompt }))],
    [messages, pending],
  );
  const render = useCallback((row: Row) => <LiveRow chat={chat} row={row} />, [chat]);
  if (!session) return <ChatSkeleton />;
  if (items.length === 0)
    return (
      <div className="flex min-h-0 flex-1 overflow-y-auto">
        <Suggestions agent={session.agent} disabled={blockedBy(session) !== undefined} onPick={chat.actions.prompt} />
      </div>
    );
  return (
    <MessageList
      label="Messages"
      items={items}
      keyOf={keyOf}
      hasOlder={hasOlder}
      onOlder={chat.actions.loadOlder}
      said={pending.at(-1)?.id}
    >
      {render}
    </MessageList>
  );
}

const LiveRow = memo(function LiveRow({ chat, row }: { chat: Chat; row: Row }) {
  return row.kind === "message" ? (
    <LiveMessage chat={chat} message={row.message} />
  ) : (
    <PendingMessage prompt={row.prompt} onForget={chat.actions.forget} />
  );
});

function LiveMessage({ chat, message }: { chat: Chat; message: Message }) {
  const { turnId } = message;
  const running = useSession(chat, ({ state }) => state.activeTurnId === turnId);
  const last = useSession(
    chat,
    ({ state }) => state.activeTurnId === undefined && state.messages.at(-1)?.turnId === turnId,
  );
  const me = useAuth(({ auth }) => (auth.kind === "signed-in" ? auth.user : undefined));
  if (message.role === "user") {
    const author = message.userId === me ? undefined : message.userId;
    return <UserMessage messageId={message.id} parts={message.parts} author={author} />;
  }
  const { parts, createdAt, usage } = message;
  return (
    <AgentMessage turnId={turnId} parts={parts} running={running} last={last} createdAt={createdAt} usage={usage} />
  );
}

function PendingMessage({ prompt, onForget }: { prompt: PendingPrompt; onForget: (id: string) => void }) {
  const failed = prompt.state === "failed";
  return (
    <div className="flex flex-col items-end gap-1">
      <UserMessage
        parts={[...(prompt.attachments ?? []), { type: "text", text: prompt.text }]}
        note={failed ? prompt.error : "Sending…"}
      />
      {failed && (
        <Button size="small" look="quiet" className="text-bad" onClick={() => onForget(prompt.id)}>
          Dismiss
        </Button>
      )}
    </div>
  );
}
