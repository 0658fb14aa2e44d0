import { SearchCheck } from "lucide-react";
import { useEffect, useMemo, useState } from "react";
import { type Chat, useSession } from "../../hooks/use-chat.ts";
import { type Finding, readReview } from "../../lib/review-findings.ts";
import { ErrorNote } from "../chat/error-note.tsx";
import { Markdown } from "../markdown/markdown.tsx";
import { Button } from "../ui/button.tsx";
import { EmptyState } from "../ui/empty-state.tsx";

/** What a review of the changes found. */
export function ReviewTab({ chat }: { chat: Chat }) {
  const result = useSession(chat, ({ state }) => state.review);
  const canAsk = useSession(chat, ({ state }) => state.session !== undefined && state.session.role !== "viewer");
  const [asked, setAsked] = useState(false);
  const review = useMemo(() => (result ? readReview(result) : undefined), [result]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a result ends the wait for it
  useEffect(() => setAsked(false), [result]);
  const button = canAsk && (
    <Button
      size="small"
      look={review ? "plain" : "primary"}
      disabled={asked}
      onClick={() => setAsked(chat.actions.askReview())}
    >
      {asked ? "Reviewing…" : review ? "Review again" : "Review the changes"}
    </Button>
  );
  if (!review)
    return (
      <EmptyState
        icon={SearchCheck}
        title="Not reviewed yet"
        text="A review reads the changes and tells what it would change."
      >
        {button}
      </EmptyState>
    );
  return (
    <div className="space-y-4 p-4">
      {review.error !== undefined && <ErrorNote text={review.error} />}
      {review.summary !== undefined && <Markdown text={review.summary} streaming={false} />}
      <ul className="space-y-2">
        {review.findings.map((finding) => (
          <FindingCard key={finding.key} finding={finding} />
        ))}
      </ul>
      {review.findings.length === 0 && <p className="text-sm text-ink-muted">Nothing to complain about.</p>}
      {button}
    </div>
  );
}

const COLOURS: Record<Finding["severity"], string> = {
  critical: "bg-bad-soft text-bad",
  warning: "bg-warn-soft text-warn",
  suggestion: "bg-accent-soft text-accent",
  nitpick: "bg-raised text-ink-muted",
  info: "bg-raised text-ink-muted",
};

function FindingCard({ finding }: { finding: Finding }) {
  return (
    <li data-testid="finding" className="rounded-xl border border-line p-3">
      <div className="flex items-center gap-2 text-xs">
        <span className={`rounded-full px-2 py-0.5 font-medium ${COLOURS[finding.severity]}`}>{finding.severity}</span>
        <span className="min-w-0 truncate font-mono text-ink-muted">
          {finding.path}
          {finding.line !== undefined && `:${finding.line}`}
        </span>
      </div>
      <p className="mt-2 text-sm font-medium wrap-anywhere">{finding.title}</p>
      {finding.text !== undefined && (
        <div className="mt-1 text-ink-soft [&_.prose]:text-sm">
          <Markdown text={finding.text} streaming={false} />
        </div>
      )}
      {finding.suggestion !== undefined && (
        <div className="mt-2 [&_.prose]:text-sm">
          <Markdown text={finding.suggestion} streaming={false} />
        </div>
      )}
    </li>
  );
}
