import { lazy, Suspense, useEffect, useRef } from "react";
import { type Chat, useChat, useSession } from "../../hooks/use-chat.ts";
import { useComposerFocus } from "../../hooks/use-composer-focus.ts";
import { useMediaQuery } from "../../hooks/use-media-query.ts";
import { goTo } from "../../hooks/use-route.ts";
import { useShortcut } from "../../hooks/use-shortcut.ts";
import { fresh } from "../../lib/fresh.ts";
import { type PanelName, sessionHref } from "../../lib/routes.ts";
import { activityOf } from "../../lib/session-model.ts";
import { useAiSdkFlag } from "../../stores/preferences-store.ts";
import { openSession, showSession, takeFirstPrompt, useSessions } from "../../stores/sessions-store.ts";
import { addToast } from "../../stores/toast-store.ts";
import { ChatSkeleton } from "../chat/chat-skeleton.tsx";
import { Sheet } from "../ui/overlays.tsx";
import { LiveChatPanel } from "./live-chat-panel.tsx";
import { NoAccess } from "./no-access.tsx";
import { SessionHeader } from "./session-header.tsx";

/** The AI SDK and the side panel are large; the conversation does not wait for them. */
const AiChatPanel = lazy(
  fresh(() => import("./ai-chat-panel.tsx").then((module) => ({ default: module.AiChatPanel }))),
);
const SidePanel = lazy(
  fresh(() => import("../panel/side-panel.tsx").then((module) => ({ default: module.SidePanel }))),
);

type SessionPageProps = { sessionId: string; panel: PanelName | undefined; onMenu: () => void };

/** One session. Mount it with the session's id as key. */
export function SessionPage({ sessionId, panel, onMenu }: SessionPageProps) {
  const chat = useChat(sessionId);
  const aiSdk = useAiSdkFlag(sessionId);
  const input = useRef<HTMLTextAreaElement>(null);
  const connection = useSession(chat, (store) => store.connection);
  const title = usePageTitle(chat);
  useComposerFocus(input);
  useListedPeople(chat);
  useNotices(chat);
  useFirstPrompt(chat);
  const show = (next: PanelName | undefined) => goTo(sessionHref(sessionId, next), "replace");
  const toggle = () => show(panel === undefined ? "changes" : undefined);
  useShortcut(".", toggle);

  if (connection.kind === "closed") return <NoAccess onMenu={onMenu} />;
  return (
    <>
      <SessionHeader
        fallbackTitle={title}
        chat={chat}
        panelOpen={panel !== undefined}
        onPanel={toggle}
        onMenu={onMenu}
      />
      <div className="flex min-h-0 flex-1">
        {aiSdk ? (
          <Suspense fallback={<ChatSkeleton />}>
            <AiChatPanel live={chat} input={input} />
          </Suspense>
        ) : (
          <LiveChatPanel chat={chat} input={input} />
        )}
        <PanelPlace chat={chat} panel={panel} onShow={show} />
      </div>
    </>
  );
}

type PanelPlaceProps = { chat: Chat; panel: PanelName | undefined; onShow: (panel: PanelName | undefined) => void };

/** Beside the conversation where there is room, over it where there is not. */
function PanelPlace({ chat, panel, onShow }: PanelPlaceProps) {
  const wide = useMediaQuery("(min-width: 70rem)");
  const content = panel !== undefined && (
    <Suspense fallback={null}>
      <SidePanel chat={chat} panel={panel} onShow={onShow} />
    </Suspense>
  );
  if (!wide)
    return (
      <Sheet open={panel !== undefined} onClose={() => onShow(undefined)} title="About this session" side="right">
        {content}
      </Sheet>
    );
  return (
    content && (
      <aside aria-label="About this session" className="flex w-104 shrink-0 flex-col border-l border-line">
        {content}
      </aside>
    )
  );
}

/** The tab says whether the agent works, or waits for somebody. */
function usePageTitle(chat: Chat): string {
  const { sessionId } = chat;
  const listed = useSessions(({ sessions }) => sessions.find((entry) => entry.id === sessionId));
  const session = useSession(chat, ({ state }) => state.session);
  const waiting = useSession(chat, ({ state }) => activityOf(state)?.status === "waiting");
  const title = session?.title ?? listed?.title ?? "Session";
  useEffect(() => {
    const mark = waiting ? "❓ " : session?.status === "running" ? "● " : "";
    document.title = `${mark}${title} · Agent Ops`;
    if (session) showSession(sessionId, { title: session.title, status: session.status });
  }, [session, sessionId, title, waiting]);
  useEffect(() => {
    openSession(sessionId);
    return () => openSession(undefined);
  }, [sessionId]);
  return title;
}

/** The list shows at once who comes and goes here. */
function useListedPeople(chat: Chat): void {
  const { sessionId } = chat;
  const people = useSession(chat, ({ state }) => state.people);
  useEffect(() => {
    showSession(sessionId, { people: people.map(({ userId }) => userId) });
  }, [people, sessionId]);
}

/** What the session has to say to this reader alone. */
function useNotices(chat: Chat): void {
  const notices = useSession(chat, ({ state }) => state.notices);
  useEffect(() => {
    for (const { id, level, text } of notices) {
      addToast(level, text);
      chat.actions.dismiss(id);
    }
  }, [notices, chat]);
}

/** What the home page was asked belongs to the session that it made. */
function useFirstPrompt(chat: Chat): void {
  useEffect(() => {
    const draft = takeFirstPrompt(chat.sessionId);
    if (draft) chat.actions.prompt(draft);
  }, [chat]);
}
