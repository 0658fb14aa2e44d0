import type { SessionStatus } from "@agent-ops/shared/sessions";

const COLOURS: Record<SessionStatus, string> = {
  initializing: "bg-warn breathe",
  ready: "bg-good",
  running: "bg-accent breathe",
  hibernating: "bg-ink-muted",
  hibernated: "bg-ink-muted",
  terminated: "bg-ink-muted",
  error: "bg-bad",
};

const WORDS: Record<SessionStatus, string> = {
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
    <span title={WORDS[status]} className={`size-2 shrink-0 rounded-full ${COLOURS[status]}`}>
      <span className="sr-only">{WORDS[status]}</span>
    </span>
  );
}
