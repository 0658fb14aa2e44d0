import { useState } from "react";
import { type Chat, useSession } from "../../hooks/use-chat.ts";
import { goToSession } from "../../hooks/use-route.ts";
import { deleteSession, renameSession } from "../../stores/sessions-store.ts";
import { Button, IconButton } from "../ui/button.tsx";
import { StatusDot } from "../ui/status-dot.tsx";
import { ConnectionBadge } from "./connection-badge.tsx";
import { Presence } from "./presence.tsx";
import { SessionTitle } from "./session-title.tsx";

type SessionHeaderProps = { sessionId: string; fallbackTitle: string; chat: Chat; onMenu: () => void };

export function SessionHeader({ sessionId, fallbackTitle, chat, onMenu }: SessionHeaderProps) {
  const session = useSession(chat, ({ state }) => state.session);
  const people = useSession(chat, ({ state }) => state.people);
  const connection = useSession(chat, (store) => store.connection);
  return (
    <header className="flex h-14 shrink-0 items-center gap-2 border-b border-line px-2 sm:gap-3 sm:px-6">
      <IconButton icon="menu" label="Show the sessions" className="size-9 md:hidden" onClick={onMenu} />
      <StatusDot status={session?.status ?? "initializing"} />
      <div className="min-w-0 flex-1">
        <SessionTitle
          title={session?.title ?? fallbackTitle}
          editable={session?.role === "owner"}
          onRename={(title) => void renameSession(sessionId, title)}
        />
      </div>
      <ConnectionBadge connection={connection} onRetry={chat.actions.retry} />
      <Presence people={people} />
      {session?.role === "owner" && <DeleteButton sessionId={sessionId} />}
    </header>
  );
}

function DeleteButton({ sessionId }: { sessionId: string }) {
  const [asking, setAsking] = useState(false);
  const remove = async () => {
    if (await deleteSession(sessionId)) goToSession(undefined);
  };
  if (!asking) return <IconButton icon="trash" label="Delete this session" onClick={() => setAsking(true)} />;
  return (
    <Button look="danger" autoFocus onBlur={() => setAsking(false)} onClick={() => void remove()}>
      Delete for good
    </Button>
  );
}
