import type { AgentCommand } from "@agent-ops/shared/events";
import type { UIMessage } from "ai";
import { memo, type ReactNode, type RefObject, useCallback, useMemo, useState } from "react";
import { type ChatPlace, type HistoryPage, useAiChat, useHistory } from "../../hooks/use-ai-chat.ts";
import { describeError } from "../../lib/api-error.ts";
import type { PromptDraft } from "../../lib/session-model.ts";
import { partsOf } from "../../lib/ui-message-parts.ts";
import { ActivityLine } from "./activity-line.tsx";
import { AgentMessage } from "./agent-message.tsx";
import { Announcer } from "./announcer.tsx";
import { ConversationProvider } from "./chat-context.tsx";
import { ChatSkeleton } from "./chat-skeleton.tsx";
import { Composer } from "./composer.tsx";
import { ErrorNote } from "./error-note.tsx";
import { MessageList } from "./message-list.tsx";
import { QueueList, type QueueListProps } from "./queue-list.tsx";
import { UserMessage } from "./user-message.tsx";

type AiConversationProps = {
  place: ChatPlace;
  label: string;
  placeholder: string;
  /** Why nothing can be sent, where that is so. */
  blocked?: string | undefined;
  /** Whether they may do more than ask: let tools run, and take back what was said. */
  trusted: boolean;
  commands?: readonly AgentCommand[];
  /** All that waits in the session, where the page knows more of it than what it sent itself. */
  queue?: Pick<QueueListProps, "items" | "onWithdraw">;
  /** The model for the next message; without one, the session's. */
  model?: string | undefined;
  /** Further choices, beside the attachments. */
  children?: ReactNode;
  onSent?: () => void;
  input: RefObject<HTMLTextAreaElement | null>;
  /** Instead of messages, while there are none. */
  empty: (send: (draft: PromptDraft) => void) => ReactNode;
};

/** A session's conversation through the AI SDK's standard hook. */
export function AiConversation(props: AiConversationProps) {
  const history = useHistory(props.place);
  if (history.kind === "loading") return <ChatSkeleton />;
  if (history.kind === "ready") return <Conversation first={history.page} {...props} />;
  return (
    <div className="m-auto px-6">
      <ErrorNote text={history.text} />
    </div>
  );
}

const keyOf = (message: UIMessage) => message.id;

function Conversation({ first, ...props }: AiConversationProps & { first: HistoryPage }) {
  const { place, blocked, trusted } = props;
  const chat = useAiChat(place, first);
  const { messages, running, questions, answer, actions } = chat;
  const conversation = useMemo(() => {
    const canWrite = blocked === undefined;
    const { edit, regenerate } = actions;
    return {
      questions,
      canWrite,
      canApprove: canWrite && trusted,
      canRewrite: canWrite && trusted,
      onAnswer: answer,
      onEdit: edit,
      onRegenerate: regenerate,
    };
  }, [questions, blocked, trusted, answer, actions]);
  const count = messages.length;
  const [said, setSaid] = useState(0);
  const send = (draft: PromptDraft) => {
    setSaid((times) => times + 1);
    actions.send({ ...draft, ...(props.model === undefined ? {} : { model: props.model }) });
    props.onSent?.();
  };
  const render = useCallback(
    (message: UIMessage, at: number) => (
      <AiMessage message={message} running={running && at === count - 1} last={!running && at === count - 1} />
    ),
    [running, count],
  );
  return (
    <>
      <ConversationProvider value={conversation}>
        {count === 0 ? (
          <div className="flex min-h-0 flex-1 overflow-y-auto">{props.empty(send)}</div>
        ) : (
          <MessageList
            label="Messages"
            items={messages}
            keyOf={keyOf}
            hasOlder={chat.older.exist}
            onOlder={chat.older.load}
            said={said}
            footer={chat.error && <ErrorNote text={describeError(chat.error)} />}
          >
            {render}
          </MessageList>
        )}
      </ConversationProvider>
      <Announcer running={running} questions={questions} />
      <ActivityLine running={running} activity={chat.activity} />
      <QueueList items={chat.waiting} {...props.queue} />
      <Composer
        name={place.sessionId}
        label={props.label}
        placeholder={props.placeholder}
        running={running}
        blocked={blocked}
        commands={props.commands ?? []}
        input={props.input}
        onSend={send}
        onStop={actions.stop}
      >
        {props.children}
      </Composer>
    </>
  );
}

type AiMessageProps = { message: UIMessage; running: boolean; last: boolean };

const AiMessage = memo(function AiMessage({ message, running, last }: AiMessageProps) {
  const parts = useMemo(() => partsOf(message), [message]);
  if (message.role === "user") return <UserMessage messageId={message.id} parts={parts} />;
  return <AgentMessage turnId={message.id} parts={parts} running={running} last={last} />;
});
