import type { ClientBoundEvent } from "@agent-ops/shared/events";
import type { ClientCommand } from "@agent-ops/shared/frames";
import { useCallback, useEffect, useRef } from "react";
import { sessionPath } from "../lib/api.ts";
import { type Connection, type Cursor, SessionSocket } from "../lib/session-socket.ts";
import { api } from "../stores/services.ts";

type Handlers = {
  onEvents: (events: ClientBoundEvent[]) => void;
  onConnection: (connection: Connection) => void;
};

/** Reads a session for as long as the component lives. The handlers must keep their identity. */
export function useWebsocket(sessionId: string, { onEvents, onConnection }: Handlers) {
  const current = useRef<SessionSocket | undefined>(undefined);

  useEffect(() => {
    const socket = new SessionSocket({
      ticket: () => api.ticket(sessionId),
      url: (ticket, cursor) => socketUrl(sessionId, ticket, cursor),
      onEvents,
      onConnection,
    });
    const retry = () => socket.retryNow();
    current.current = socket;
    socket.start();
    window.addEventListener("online", retry);
    document.addEventListener("visibilitychange", retry);
    return () => {
      window.removeEventListener("online", retry);
      document.removeEventListener("visibilitychange", retry);
      socket.stop();
    };
  }, [sessionId, onEvents, onConnection]);

  const send = useCallback((command: ClientCommand) => current.current?.send(command) ?? false, []);
  const retry = useCallback(() => current.current?.retryNow(), []);
  return { send, retry };
}

function socketUrl(sessionId: string, ticket: string, cursor: Cursor | undefined): string {
  const url = new URL(sessionPath(sessionId, "ws"), location.href);
  url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
  url.searchParams.set("ticket", ticket);
  if (cursor) {
    url.searchParams.set("since", String(cursor.seq));
    url.searchParams.set("generation", String(cursor.generation));
  }
  return url.href;
}
