import type { SessionView } from "@agent-ops/shared/sessions";
import { sessionHref } from "../../hooks/use-route.ts";
import { signOut } from "../../stores/auth-store.ts";
import { dismissFailure, loadSessions, useSessions } from "../../stores/sessions-store.ts";
import { Button, IconButton } from "../ui/button.tsx";
import { StatusDot } from "../ui/status-dot.tsx";

type SidebarProps = {
  user: string;
  selected: string | undefined;
  onNew: () => void;
  onClose: () => void;
};

export function Sidebar({ user, selected, onNew, onClose }: SidebarProps) {
  const { creating, failure } = useSessions();
  return (
    <div className="flex h-full flex-col">
      <div className="flex h-14 shrink-0 items-center gap-2.5 px-4">
        <img src="/favicon.svg" alt="" className="size-6" />
        <span className="flex-1 font-semibold">Agent Ops</span>
        <IconButton icon="close" label="Hide the sessions" className="size-9 md:hidden" onClick={onClose} />
      </div>
      <div className="px-3 pb-3">
        <Button icon="plus" className="w-full" disabled={creating} onClick={onNew}>
          New session
        </Button>
        {failure !== undefined && (
          <div role="alert" className="mt-2 flex items-start gap-1 text-sm text-bad">
            <p className="min-w-0 flex-1 py-1 wrap-anywhere">{failure}</p>
            <IconButton icon="close" label="Dismiss" className="size-7" onClick={dismissFailure} />
          </div>
        )}
      </div>
      <nav aria-label="Sessions" className="min-h-0 flex-1 overflow-y-auto px-2 pb-2">
        <SessionList selected={selected} onOpen={onClose} />
      </nav>
      <div className="flex items-center gap-2 border-t border-line py-2 pr-2 pl-4 text-sm">
        <span className="min-w-0 flex-1 truncate text-ink-muted">{user}</span>
        <IconButton icon="leave" label="Sign out" onClick={() => signOut("left")} />
      </div>
    </div>
  );
}

function SessionList({ selected, onOpen }: { selected: string | undefined; onOpen: () => void }) {
  const { load, sessions } = useSessions();
  if (load === "loading") return <p className="px-2 py-1 text-sm text-ink-muted">Loading…</p>;
  if (load !== "ready")
    return (
      <div className="space-y-2 px-2 text-sm">
        <p role="alert" className="text-bad">
          {load.failed}
        </p>
        <Button icon="retry" onClick={() => void loadSessions()}>
          Try again
        </Button>
      </div>
    );
  if (sessions.length === 0) return <p className="px-2 py-1 text-sm text-ink-muted">No sessions yet.</p>;
  return (
    <ul className="space-y-0.5">
      {sessions.map((session) => (
        <SessionLink key={session.id} session={session} current={session.id === selected} onOpen={onOpen} />
      ))}
    </ul>
  );
}

type SessionLinkProps = { session: SessionView; current: boolean; onOpen: () => void };

function SessionLink({ session, current, onOpen }: SessionLinkProps) {
  return (
    <li>
      <a
        href={sessionHref(session.id)}
        aria-current={current ? "page" : undefined}
        onClick={onOpen}
        className={`flex items-center gap-2.5 rounded-lg px-2.5 py-1.5 transition-colors ${current ? "bg-hover" : "hover:bg-hover"}`}
      >
        <StatusDot status={session.status} />
        <span className="min-w-0 flex-1">
          <span className={`block truncate text-sm ${current ? "font-medium" : ""}`}>{session.title}</span>
          <span className="block truncate text-xs text-ink-muted">
            {session.agent} · {when(session.createdAt)}
          </span>
        </span>
      </a>
    </li>
  );
}

function when(createdAt: number): string {
  const date = new Date(createdAt);
  const today = date.toDateString() === new Date().toDateString();
  return today
    ? date.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" })
    : date.toLocaleDateString([], { day: "numeric", month: "short" });
}
