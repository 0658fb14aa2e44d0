import type { MessagePart, Usage } from "@agent-ops/shared/message-parts";
import { RefreshCw } from "lucide-react";
import { plainText } from "../../lib/part-groups.ts";
import { formatTime } from "../../lib/times.ts";
import { IconButton } from "../ui/button.tsx";
import { CopyButton } from "../ui/copy-button.tsx";
import { useConversation } from "./chat-context.tsx";

/** There when it is pointed at or focused; always, where there is nothing to point with. */
export const QUIET =
  "opacity-0 transition-opacity group-focus-within/message:opacity-100 group-hover/message:opacity-100 pointer-coarse:opacity-100";

type AgentMessageActionsProps = {
  turnId: string;
  parts: readonly MessagePart[];
  last: boolean;
  createdAt?: number | undefined;
  usage?: Usage | undefined;
};

/** What can be done with an answer: always there for the last one, for the others when pointed at. */
export function AgentMessageActions({ turnId, parts, last, createdAt, usage }: AgentMessageActionsProps) {
  const { canRewrite, onRegenerate } = useConversation();
  return (
    <footer className={`-mb-4 -ml-1.5 flex h-7 items-center gap-0.5 text-xs text-ink-muted ${last ? "" : QUIET}`}>
      <CopyButton text={() => plainText(parts)} label="Copy the answer" />
      {last && canRewrite && (
        <IconButton
          icon={RefreshCw}
          label="Write it again"
          className="size-7"
          iconClassName="size-3.5"
          onClick={() => onRegenerate(turnId)}
        />
      )}
      {createdAt !== undefined && createdAt > 0 && <time className="ml-1.5">{formatTime(createdAt)}</time>}
      {usage?.totalTokens !== undefined && <span className="ml-2">{usage.totalTokens.toLocaleString()} tokens</span>}
      {usage?.costUsd !== undefined && <span className="ml-2">${usage.costUsd.toFixed(3)}</span>}
    </footer>
  );
}
