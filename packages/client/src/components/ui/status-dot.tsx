import type { SessionStatus } from "@agent-ops/shared/sessions";

const COLOURS: Record<SessionStatus, string> = {
  initializing: "bg-warn breathe",
  ready: "bg-good",
  running: "bg-accent-fill breathe",
  hibernating: "bg-ink-muted/60",
  hibernated: "bg-ink-muted/60",
  terminated: "bg-line-strong",
  error: "bg-bad",
};

export const STATUS_WORDS: Record<SessionStatus, string> = {
  initializing: "Starting",
  ready: "Ready",
  running: "Running",
  hibernating: "Going to sleep",
  hibernated: "Asleep",
  terminated: "Ended",
  error: "Error",
};

export function StatusDot({ status }: { status: SessionStatus }) {
  return (
    <span title={STATUS_WORDS[status]} className={`size-2 shrink-0 rounded-full ${COLOURS[status]}`}>
      <span className="sr-only">{STATUS_WORDS[status]}</span>
    </span>
  );
}
