import type { MessagePart } from "@agent-ops/shared/message-parts";
import { memo } from "react";
import type { QuestionState } from "../../lib/session-model.ts";
import { type AnswerQuestion, QuestionCard } from "./question-card.tsx";
import { ReasoningBlock } from "./reasoning-block.tsx";
import { RichText } from "./rich-text.tsx";
import { ToolCard } from "./tool-card.tsx";

export type Questions = Readonly<Record<string, QuestionState>>;

type AnswerProps = {
  parts: readonly MessagePart[];
  /** Whether the agent still writes this message. */
  running: boolean;
  canAnswer: boolean;
  questions: Questions;
  onAnswer: AnswerQuestion;
};

export const AgentMessage = memo(function AgentMessage({ parts, running, ...rest }: AnswerProps) {
  return (
    <article aria-label="The agent" aria-busy={running} data-testid="agent-message" className="min-w-0 space-y-3">
      {parts.map((part, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a message's parts keep their places
        <Part key={at} part={part} running={running} {...rest} />
      ))}
      {!running && parts.every(isSilent) && <p className="text-sm text-ink-muted">The agent ended without a word.</p>}
      {running && isQuiet(parts) && (
        <p className="caret text-ink-muted">
          <span className="sr-only">The agent is working</span>
        </p>
      )}
    </article>
  );
});

function Part({ part, running, canAnswer, questions, onAnswer }: Omit<AnswerProps, "parts"> & { part: MessagePart }) {
  switch (part.type) {
    case "text":
      return <RichText text={part.text} streaming={running && part.streaming === true} />;
    case "reasoning":
      return <ReasoningBlock text={part.text} streaming={running && part.streaming === true} />;
    case "tool-call":
      return <ToolCard part={part} />;
    case "question": {
      const asked = questions[part.questionId];
      return asked ? (
        <QuestionCard asked={asked} open={running && canAnswer} onAnswer={onAnswer} />
      ) : (
        <p className="text-sm text-ink-muted">A question was asked here and is settled.</p>
      );
    }
    case "error":
      return <ErrorNote text={part.message} />;
    case "finish":
      return part.reason === "canceled" ? <p className="text-sm text-ink-muted">Stopped.</p> : null;
    case "file":
      return <FileNote name={part.filename ?? part.mediaType} />;
    case "step":
      return null;
    default:
      return part satisfies never;
  }
}

function isSilent(part: MessagePart): boolean {
  return part.type === "step" || (part.type === "finish" && part.reason === "end_turn");
}

/** Whether nothing on the screen moves although the agent works. */
function isQuiet(parts: readonly MessagePart[]): boolean {
  const last = parts.findLast((part) => part.type !== "step");
  if (last === undefined) return true;
  if (last.type === "tool-call") return last.status === "completed" || last.status === "error";
  return (last.type === "text" || last.type === "reasoning") && last.streaming !== true;
}

export function ErrorNote({ text }: { text: string }) {
  return (
    <p role="alert" className="rounded-xl bg-bad-soft px-3.5 py-2.5 text-sm wrap-anywhere text-bad">
      {text}
    </p>
  );
}

function FileNote({ name }: { name: string }) {
  return <p className="inline-block rounded-lg border border-line bg-surface px-2.5 py-1 text-sm">{name}</p>;
}

type UserMessageProps = { parts: readonly MessagePart[]; author?: string; note?: string; pale?: boolean };

export const UserMessage = memo(function UserMessage({ parts, author, note, pale = false }: UserMessageProps) {
  return (
    <article aria-label={author ?? "You"} data-testid="user-message" className="flex w-full flex-col items-end gap-1">
      {author !== undefined && <span className="px-1 text-xs text-ink-muted">{author}</span>}
      <div className={`max-w-[88%] rounded-2xl rounded-br-md bg-raised px-3.5 py-2 ${pale ? "opacity-60" : ""}`}>
        {parts.map((part, at) => {
          // biome-ignore lint/suspicious/noArrayIndexKey: a message's parts keep their places
          if (part.type === "text") return <RichText key={at} text={part.text} streaming={false} />;
          // biome-ignore lint/suspicious/noArrayIndexKey: as above
          return part.type === "file" ? <FileNote key={at} name={part.filename ?? part.mediaType} /> : null;
        })}
      </div>
      {note !== undefined && <span className="px-1 text-xs text-ink-muted">{note}</span>}
    </article>
  );
});
