import type { AuditEntry } from "@agent-ops/shared/events";
import { ScrollText } from "lucide-react";
import { type Chat, useSession } from "../../hooks/use-chat.ts";
import { formatMoment, formatTime } from "../../lib/times.ts";
import { Avatar } from "../ui/avatar.tsx";
import { EmptyState } from "../ui/empty-state.tsx";

const WORDS: Partial<Record<string, string>> = {
  create: "began the session",
  prompt: "asked",
  abort: "stopped the agent",
  answer: "answered a question",
  withdraw: "took a message back",
  rename: "renamed it to",
  share: "shared it with",
  unshare: "took access from",
  terminate: "ended the session",
  review: "asked for a review",
  "widget-token": "let a visitor in:",
  "on-disconnect": "set what a lost connection does:",
};
/** Acts whose detail says something to people; the others name turns and questions. */
const TELLING = new Set(["rename", "share", "unshare", "on-disconnect", "widget-token"]);

/** Who did what, the latest first. */
export function AuditTab({ chat }: { chat: Chat }) {
  const audit = useSession(chat, ({ state }) => state.audit);
  if (audit.length === 0) return <EmptyState icon={ScrollText} title="Nothing happened yet" />;
  return (
    <ol className="p-4" aria-label="What happened">
      {audit.toReversed().map((entry, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: entries have no name of their own
        <Entry key={audit.length - at} entry={entry} />
      ))}
    </ol>
  );
}

function Entry({ entry: { ts, userId, action, detail } }: { entry: AuditEntry }) {
  return (
    <li data-testid="audit-entry" className="relative flex gap-3 pb-4 last:pb-0">
      <Avatar name={userId} className="size-6 text-2xs" />
      <p className="min-w-0 flex-1 pt-0.5 text-sm wrap-anywhere">
        <span className="font-medium">{userId}</span> {WORDS[action] ?? action.replaceAll("-", " ")}
        {detail !== undefined && TELLING.has(action) && <span className="font-medium"> {detail}</span>}
      </p>
      <time title={formatMoment(ts)} className="pt-1 text-2xs text-ink-muted">
        {formatTime(ts)}
      </time>
    </li>
  );
}
