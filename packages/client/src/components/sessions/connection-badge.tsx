import { RotateCw, WifiOff } from "lucide-react";
import { useOnline } from "../../hooks/use-online.ts";
import type { Connection } from "../../lib/session-socket.ts";
import { Spinner } from "../ui/spinner.tsx";

type ConnectionBadgeProps = { connection: Connection; onRetry: () => void };

/** Says nothing while all is well. */
export function ConnectionBadge({ connection, onRetry }: ConnectionBadgeProps) {
  const online = useOnline();
  const waiting = connection.kind === "waiting";
  return (
    <div role="status" data-testid="connection" data-state={connection.kind} className="flex items-center text-xs">
      {connection.kind === "live" ? (
        <span className="sr-only">Connected</span>
      ) : (
        <span className="inline-flex items-center gap-1.5 rounded-full bg-warn-soft px-2.5 py-1 font-medium text-warn">
          {online ? <Spinner className="size-3" /> : <WifiOff aria-hidden="true" className="size-3.5" />}
          <span className="max-sm:sr-only">{online ? wordsFor(connection) : "You are offline"}</span>
          {waiting && online && connection.attempt > 2 && (
            <button type="button" aria-label="Retry now" className="rounded-sm" onClick={onRetry}>
              <RotateCw aria-hidden="true" className="size-3.5" />
            </button>
          )}
        </span>
      )}
    </div>
  );
}

function wordsFor(connection: Exclude<Connection, { kind: "live" }>): string {
  if (connection.kind === "connecting") return "Connecting";
  if (connection.kind === "waiting") return "Reconnecting";
  return connection.reason === "unauthorized" ? "Signed out" : "No access";
}
