import type { Connection } from "../../lib/session-socket.ts";

type ConnectionBadgeProps = { connection: Connection; onRetry: () => void };

export function ConnectionBadge({ connection, onRetry }: ConnectionBadgeProps) {
  return (
    <div
      role="status"
      data-testid="connection"
      data-state={connection.kind}
      className="flex items-center gap-2 text-xs"
    >
      {connection.kind === "live" ? (
        <span className="text-ink-muted max-sm:sr-only">Connected</span>
      ) : (
        <span className="text-warn">{wordsFor(connection)}</span>
      )}
      {connection.kind === "waiting" && connection.attempt > 2 && (
        <button type="button" className="rounded-sm text-accent underline" onClick={onRetry}>
          Retry now
        </button>
      )}
    </div>
  );
}

function wordsFor(connection: Exclude<Connection, { kind: "live" }>): string {
  if (connection.kind === "connecting") return "Connecting…";
  if (connection.kind === "waiting") return "Reconnecting…";
  return connection.reason === "unauthorized" ? "Signed out" : "No access";
}
