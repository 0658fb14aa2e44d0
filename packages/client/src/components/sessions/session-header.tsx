import { CircleStop, Ellipsis, GitBranch, Link2, PanelRight, Pencil, Trash2, Zap } from "lucide-react";
import { useState } from "react";
import { type Chat, useSession } from "../../hooks/use-chat.ts";
import { goTo } from "../../hooks/use-route.ts";
import { describeError } from "../../lib/api-error.ts";
import { setAiSdk, useAiSdkFlag } from "../../stores/preferences-store.ts";
import { api } from "../../stores/services.ts";
import { deleteSession, renameSession } from "../../stores/sessions-store.ts";
import { addToast } from "../../stores/toast-store.ts";
import { MenuButton } from "../shell/menu-button.tsx";
import { IconButton } from "../ui/button.tsx";
import { Dropdown, type MenuEntry } from "../ui/dropdown.tsx";
import { Confirm } from "../ui/overlays.tsx";
import { StatusDot } from "../ui/status-dot.tsx";
import { ConnectionBadge } from "./connection-badge.tsx";
import { Presence } from "./presence.tsx";
import { SessionTitle } from "./session-title.tsx";

type SessionHeaderProps = {
  fallbackTitle: string;
  chat: Chat;
  panelOpen: boolean;
  onPanel: () => void;
  onMenu: () => void;
};

export function SessionHeader({ fallbackTitle, chat, panelOpen, onPanel, onMenu }: SessionHeaderProps) {
  const session = useSession(chat, ({ state }) => state.session);
  const people = useSession(chat, ({ state }) => state.people);
  const connection = useSession(chat, (store) => store.connection);
  const aiSdk = useAiSdkFlag(chat.sessionId);
  const [renaming, setRenaming] = useState(false);
  const owner = session?.role === "owner";
  return (
    <header className="flex h-13 shrink-0 items-center gap-2 border-b border-line px-2 sm:px-4">
      <MenuButton onClick={onMenu} />
      <StatusDot status={session?.status ?? "initializing"} />
      <div className="flex min-w-0 flex-1 items-center gap-2.5">
        <SessionTitle
          title={session?.title ?? fallbackTitle}
          editing={renaming}
          onEdit={owner ? setRenaming : undefined}
          onRename={(title) => void renameSession(chat.sessionId, title)}
        />
        <Branch chat={chat} />
        {aiSdk && (
          <span className="shrink-0 rounded-full bg-accent-soft px-2 py-0.5 text-2xs font-medium text-accent">
            useChat
          </span>
        )}
      </div>
      <ConnectionBadge connection={connection} onRetry={chat.actions.retry} />
      <div className="max-sm:hidden">
        <Presence people={people} />
      </div>
      <IconButton
        icon={PanelRight}
        label={panelOpen ? "Hide the side panel" : "Show the side panel"}
        keys="mod."
        aria-pressed={panelOpen}
        onClick={onPanel}
      />
      <SessionMenu chat={chat} owner={owner} aiSdk={aiSdk} onRename={() => setRenaming(true)} />
    </header>
  );
}

function Branch({ chat }: { chat: Chat }) {
  const git = useSession(chat, ({ state }) => state.gitState);
  if (git?.branch === undefined) return null;
  return (
    <span
      title={git.baseBranch === undefined ? undefined : `from ${git.baseBranch}`}
      className="inline-flex min-w-0 items-center gap-1 rounded-md bg-raised px-1.5 py-0.5 font-mono text-2xs text-ink-muted max-sm:hidden"
    >
      <GitBranch aria-hidden="true" className="size-3 shrink-0" />
      <span className="truncate">{git.branch}</span>
      {git.dirty && <span title="Changes that are not committed">•</span>}
    </span>
  );
}

function ownerEntries(ask: (about: "end" | "delete") => void): MenuEntry[] {
  return [
    { kind: "line" },
    { kind: "action", icon: CircleStop, label: "End session…", onSelect: () => ask("end") },
    { kind: "action", icon: Trash2, label: "Delete…", danger: true, onSelect: () => ask("delete") },
  ];
}

type SessionMenuProps = { chat: Chat; owner: boolean; aiSdk: boolean; onRename: () => void };

function SessionMenu({ chat, owner, aiSdk, onRename }: SessionMenuProps) {
  const { sessionId } = chat;
  const [asking, setAsking] = useState<"end" | "delete">();
  const copyLink = () => {
    navigator.clipboard.writeText(location.href).then(
      () => addToast("info", "The link is copied."),
      () => addToast("error", "The browser did not let this page copy."),
    );
  };
  const end = () => api.terminateSession(sessionId).catch((error: unknown) => addToast("error", describeError(error)));
  // The page goes first: it would only find that its session is gone.
  const remove = () => {
    goTo("/");
    return deleteSession(sessionId);
  };
  const entries: MenuEntry[] = [
    ...(owner ? [{ kind: "action", icon: Pencil, label: "Rename", onSelect: onRename } as const] : []),
    { kind: "action", icon: Link2, label: "Copy link", onSelect: copyLink },
    {
      kind: "action",
      icon: Zap,
      label: aiSdk ? "Use the live connection" : "Use the AI SDK’s useChat",
      onSelect: () => setAiSdk(sessionId, !aiSdk),
    },
    ...(owner ? ownerEntries(setAsking) : []),
  ];
  return (
    <>
      <Dropdown trigger={<IconButton icon={Ellipsis} label="More about this session" />} entries={entries} />
      <Confirm
        open={asking === "end"}
        title="End this session?"
        text="What runs is stopped, and nothing can be asked any more. The conversation can still be read."
        action="End session"
        onClose={() => setAsking(undefined)}
        onConfirm={() => void end()}
      />
      <Confirm
        open={asking === "delete"}
        title="Delete this session?"
        text="The conversation and the agent’s workspace are removed for everybody. This cannot be undone."
        action="Delete for good"
        onClose={() => setAsking(undefined)}
        onConfirm={() => void remove()}
      />
    </>
  );
}
