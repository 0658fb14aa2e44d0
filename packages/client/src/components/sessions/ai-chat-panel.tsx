import type { Answer } from "@agent-ops/shared/questions";
import type { UIMessage } from "ai";
import { type RefObject, useMemo, useState } from "react";
import { type History, useAiChat, useHistory } from "../../hooks/use-ai-chat.ts";
import { type Chat, useSession } from "../../hooks/use-chat.ts";
import { describeError } from "../../lib/api-error.ts";
import { partsOf, questionsOf } from "../../lib/ui-message-parts.ts";
import { api } from "../../stores/services.ts";
import { ActivityLine } from "../chat/activity-line.tsx";
import { Composer } from "../chat/composer.tsx";
import { AgentMessage, ErrorNote, type Questions, UserMessage } from "../chat/message-item.tsx";
import { MessageScroller } from "../chat/message-scroller.tsx";
import { PanelFrame } from "../chat/panel-frame.tsx";
import { Suggestions } from "../chat/suggestions.tsx";

type AiChatPanelProps = {
  sessionId: string;
  live: Chat;
  input: RefObject<HTMLTextAreaElement | null>;
  className?: string;
};

/** The same session through the AI SDK's standard hook. */
export function AiChatPanel({ className, ...rest }: AiChatPanelProps) {
  const history = useHistory(rest.sessionId);
  return (
    <PanelFrame
      id="ai-panel"
      title="useChat"
      sentence="The same session through the AI SDK’s standard hook, over plain HTTP."
      className={className}
    >
      {history.kind === "ready" ? (
        <AiChat initialMessages={history.messages} {...rest} />
      ) : (
        <div className="grid flex-1 place-items-center px-6">
          <HistoryNote history={history} />
        </div>
      )}
    </PanelFrame>
  );
}

function HistoryNote({ history }: { history: Exclude<History, { kind: "ready" }> }) {
  if (history.kind === "failed") return <ErrorNote text={history.text} />;
  return <p className="text-sm text-ink-muted">Reading the history…</p>;
}

type AiChatProps = Omit<AiChatPanelProps, "className"> & { initialMessages: UIMessage[] };

function AiChat({ sessionId, live, input, initialMessages }: AiChatProps) {
  const viewer = useSession(live, ({ state }) => state.session?.role === "viewer");
  const chat = useAiChat(sessionId, initialMessages);
  const { questions, answer } = useAnswers(sessionId, chat.messages);
  return (
    <>
      <MessageScroller label="useChat">
        {chat.messages.length === 0 && (
          <Suggestions title="An unmodified AI SDK client." disabled={viewer} onPick={chat.send} />
        )}
        {chat.messages.map((message, at) => (
          <AiMessage
            key={message.id}
            message={message}
            running={chat.running && at === chat.messages.length - 1}
            canAnswer={!viewer}
            questions={questions}
            onAnswer={answer}
          />
        ))}
        {chat.error && <ErrorNote text={describeError(chat.error)} />}
      </MessageScroller>
      <ActivityLine running={chat.running} activity={chat.activity} />
      <Composer
        label="Message through useChat"
        placeholder="Message through useChat"
        running={chat.running}
        blocked={viewer ? "You can read this session, not write in it." : undefined}
        input={input}
        onSend={chat.send}
        onStop={chat.stop}
      />
    </>
  );
}

type AiMessageProps = {
  message: UIMessage;
  running: boolean;
  canAnswer: boolean;
  questions: Questions;
  onAnswer: (questionId: string, answer: Answer) => void;
};

function AiMessage({ message, ...rest }: AiMessageProps) {
  const parts = useMemo(() => partsOf(message), [message]);
  if (message.role === "user") return <UserMessage parts={parts} />;
  return <AgentMessage parts={parts} {...rest} />;
}

/** Answers go over the questions route; the stream then tells the question again with its answer. */
function useAnswers(sessionId: string, messages: readonly UIMessage[]) {
  const [errors, setErrors] = useState<Readonly<Record<string, string>>>({});
  const questions = useMemo(() => {
    const asked = messages.flatMap(questionsOf).map((question) => {
      const { questionId, resolution } = question;
      return [questionId, { question, resolution, error: errors[questionId] }];
    });
    return Object.fromEntries(asked);
  }, [messages, errors]);
  const answer = (questionId: string, given: Answer) => {
    api.answer(sessionId, questionId, given).catch((error: unknown) => {
      setErrors((before) => ({ ...before, [questionId]: describeError(error) }));
    });
  };
  return { questions, answer };
}
