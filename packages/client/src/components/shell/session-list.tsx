import type { SessionView } from "@agent-ops/shared/sessions";
import { RotateCw } from "lucide-react";
import { sessionHref } from "../../lib/routes.ts";
import { formatAge, periodOf } from "../../lib/times.ts";
import { useAuth } from "../../stores/auth-store.ts";
import { loadSessions, useSessions } from "../../stores/sessions-store.ts";
import { Avatar } from "../ui/avatar.tsx";
import { Button } from "../ui/button.tsx";
import { Link } from "../ui/link.tsx";
import { StatusDot } from "../ui/status-dot.tsx";

type SessionListProps = { selected: string | undefined; onOpen: () => void };

export function SessionList({ selected, onOpen }: SessionListProps) {
  const { load, sessions, seen } = useSessions();
  const periods = Map.groupBy(sessions, ({ createdAt }) => periodOf(createdAt));
  return (
    <nav aria-label="Sessions" className="min-h-0 flex-1 overflow-y-auto px-2 pb-2">
      {load === "loading" && <ListSkeleton />}
      {typeof load === "object" && <ListFailed text={load.failed} />}
      {load === "ready" && sessions.length === 0 && (
        <p className="px-2.5 py-2 text-sm text-ink-muted">No sessions yet.</p>
      )}
      {[...periods].map(([period, entries]) => (
        <section key={period} className="pt-2">
          <h2 className="px-2.5 pb-1 text-2xs font-medium text-ink-muted">{period}</h2>
          <ul className="space-y-px">
            {entries.map((session) => (
              <SessionLink
                key={session.id}
                session={session}
                current={session.id === selected}
                unread={seen[session.id] === "unread"}
                onOpen={onOpen}
              />
            ))}
          </ul>
        </section>
      ))}
    </nav>
  );
}

type SessionLinkProps = { session: SessionView; current: boolean; unread: boolean; onOpen: () => void };

function SessionLink({ session, current, unread, onOpen }: SessionLinkProps) {
  return (
    <li>
      <Link
        href={sessionHref(session.id)}
        aria-current={current ? "page" : undefined}
        onClick={onOpen}
        className={`flex h-8.5 items-center gap-2.5 rounded-lg px-2.5 text-sm -outline-offset-2 transition-colors ${current ? "bg-pressed font-medium text-ink" : "text-ink-soft hover:bg-hover"} ${unread ? "font-semibold text-ink" : ""}`}
      >
        <StatusDot status={session.status} />
        <span className="min-w-0 flex-1 truncate">{session.title}</span>
        <Others people={session.people} />
        {unread ? (
          <span className="size-2 rounded-full bg-accent-fill">
            <span className="sr-only">Unread</span>
          </span>
        ) : (
          <span className="text-2xs text-ink-muted">{formatAge(session.createdAt)}</span>
        )}
      </Link>
    </li>
  );
}

const AVATARS = 3;

/** Who else has it open. */
function Others({ people = [] }: { people: SessionView["people"] }) {
  const me = useAuth(({ auth }) => (auth.kind === "signed-in" ? auth.user : undefined));
  const others = people.filter((name) => name !== me);
  if (others.length === 0) return null;
  const names = others.join(", ");
  return (
    <span data-testid="others" title={`Here now: ${names}`} className="flex shrink-0 items-center -space-x-1">
      {others.slice(0, AVATARS).map((name) => (
        <Avatar key={name} name={name} className="size-4.5 border border-surface text-[0.5625rem]" />
      ))}
      {others.length > AVATARS && (
        <span aria-hidden="true" className="pl-2 text-2xs text-ink-muted">
          +{others.length - AVATARS}
        </span>
      )}
      <span className="sr-only">Here now: {names}</span>
    </span>
  );
}

function ListSkeleton() {
  return (
    <div role="status" className="space-y-2 px-2.5 pt-3">
      <span className="sr-only">Loading the sessions</span>
      {[80, 60, 70].map((width) => (
        <div key={width} className="skeleton h-5" style={{ width: `${width}%` }} />
      ))}
    </div>
  );
}

function ListFailed({ text }: { text: string }) {
  return (
    <div className="space-y-2 px-2.5 pt-2 text-sm">
      <p role="alert" className="text-bad">
        {text}
      </p>
      <Button size="small" icon={RotateCw} onClick={() => void loadSessions()}>
        Try again
      </Button>
    </div>
  );
}
