import type { ChildInfo } from "@agent-ops/shared/sessions";
import { sessionStatus } from "@agent-ops/shared/sessions";
import { ArrowUpRight, CornerLeftUp, Split } from "lucide-react";
import { type Chat, useSession } from "../../hooks/use-chat.ts";
import { sessionHref } from "../../lib/routes.ts";
import { EmptyState } from "../ui/empty-state.tsx";
import { Link } from "../ui/link.tsx";
import { StatusDot } from "../ui/status-dot.tsx";

/** Sessions that this one began, and the one it came from. */
export function ChildrenTab({ chat }: { chat: Chat }) {
  const children = useSession(chat, ({ state }) => state.children);
  const parentId = useSession(chat, ({ state }) => state.session?.parentId);
  return (
    <div className="flex min-h-full flex-col p-3">
      {parentId !== undefined && (
        <Link
          href={sessionHref(parentId)}
          className="mb-3 flex items-center gap-2 rounded-lg px-2 py-1.5 text-sm text-accent hover:bg-hover"
        >
          <CornerLeftUp aria-hidden="true" className="size-4" />
          The session it came from
        </Link>
      )}
      {children.length === 0 ? (
        <EmptyState
          icon={Split}
          title="No child sessions"
          text="When the agent hands work to other sessions, they are listed here."
        />
      ) : (
        <ul className="space-y-1.5">
          {children.map((child) => (
            <li key={child.childSessionId}>
              <Child child={child} />
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

function Child({ child }: { child: ChildInfo }) {
  const known = sessionStatus.safeParse(child.status).data;
  const inner = (
    <>
      {known ? <StatusDot status={known} /> : <span className="size-2 rounded-full bg-line-strong" />}
      <span className="min-w-0 flex-1 truncate text-sm font-medium">{child.title}</span>
      <span className="text-xs text-ink-muted">{known ? "" : child.status}</span>
      {child.openable && <ArrowUpRight aria-hidden="true" className="size-4 text-ink-muted" />}
    </>
  );
  const look = "flex items-center gap-2.5 rounded-xl border border-line px-3 py-2.5";
  return child.openable ? (
    <Link href={sessionHref(child.childSessionId)} className={`${look} hover:bg-hover`}>
      {inner}
    </Link>
  ) : (
    <div className={look}>{inner}</div>
  );
}
