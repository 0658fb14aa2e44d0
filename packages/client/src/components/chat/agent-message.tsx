import type { MessagePart, ToolCallPart, Usage } from "@agent-ops/shared/message-parts";
import { isPermission } from "@agent-ops/shared/questions";
import { memo } from "react";
import { groupParts, isQuiet, isSilent } from "../../lib/part-groups.ts";
import { Markdown } from "../markdown/markdown.tsx";
import { useConversation } from "./chat-context.tsx";
import { ErrorNote } from "./error-note.tsx";
import { FileChip } from "./file-chip.tsx";
import { AgentMessageActions } from "./message-actions.tsx";
import { QuestionCard } from "./question-card.tsx";
import { ReasoningBlock } from "./reasoning-block.tsx";
import { ToolCard } from "./tool-card.tsx";

type AgentMessageProps = {
  turnId: string;
  parts: readonly MessagePart[];
  /** Whether the agent still writes this message. */
  running: boolean;
  /** Whether nothing came after it: only then can it be written again. */
  last: boolean;
  createdAt?: number | undefined;
  usage?: Usage | undefined;
};

export const AgentMessage = memo(function AgentMessage(props: AgentMessageProps) {
  const { turnId, parts, running } = props;
  return (
    <article
      aria-label="The agent"
      aria-busy={running}
      data-testid="agent-message"
      className="group/message min-w-0 space-y-3"
    >
      {groupParts(parts).map((group) =>
        group.kind === "tools" ? (
          <ToolGroup key={group.at} parts={group.parts} running={running} />
        ) : (
          <Part key={group.at} id={`${turnId}:${group.at}`} part={group.part} running={running} />
        ),
      )}
      {!running && parts.every(isSilent) && <p className="text-sm text-ink-muted">The agent ended without a word.</p>}
      {running && isQuiet(parts) && <Working />}
      {!running && <AgentMessageActions {...props} />}
    </article>
  );
});

/** Something moves although the agent has nothing to show. */
function Working() {
  return (
    <p className="flex h-7 items-center gap-1" data-testid="working">
      {[0, 1, 2].map((at) => (
        <span key={at} className="breathe size-1.5 rounded-full bg-accent" style={{ animationDelay: `${at * 0.2}s` }} />
      ))}
      <span className="sr-only">The agent is working</span>
    </p>
  );
}

function ToolGroup({ parts, running }: { parts: readonly ToolCallPart[]; running: boolean }) {
  return (
    <div className="divide-y divide-line overflow-hidden rounded-xl border border-line bg-surface shadow-low">
      {parts.map((part) => (
        <ToolCard key={part.callId} part={part} running={running} />
      ))}
    </div>
  );
}

type PartProps = { id: string; part: Exclude<MessagePart, ToolCallPart>; running: boolean };

function Part({ id, part, running }: PartProps) {
  switch (part.type) {
    case "text":
      return <Markdown text={part.text} streaming={running && part.streaming === true} />;
    case "reasoning":
      return <ReasoningBlock id={id} text={part.text} streaming={running && part.streaming === true} />;
    case "question":
      return <Question questionId={part.questionId} running={running} />;
    case "error":
      return <ErrorNote text={part.message} />;
    case "finish":
      return part.reason === "canceled" ? (
        <p className="inline-block rounded-md bg-raised px-2 py-0.5 text-xs text-ink-muted">Stopped</p>
      ) : null;
    case "file":
      return <FileChip file={part} />;
    case "step":
      return null;
    default:
      return part satisfies never;
  }
}

function Question({ questionId, running }: { questionId: string; running: boolean }) {
  const { questions, canWrite, canApprove, onAnswer } = useConversation();
  const asked = questions[questionId];
  if (asked) {
    const canAnswer = isPermission(asked.question) ? canApprove : canWrite;
    return <QuestionCard asked={asked} open={running} canAnswer={canAnswer} onAnswer={onAnswer} />;
  }
  return <p className="text-sm text-ink-muted">A question was asked here and is settled.</p>;
}
