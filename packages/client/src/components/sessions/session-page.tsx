import { lazy, type RefObject, Suspense, useEffect, useRef, useState } from "react";
import { useChat, useSession } from "../../hooks/use-chat.ts";
import { useMediaQuery } from "../../hooks/use-media-query.ts";
import { useSlashFocus } from "../../hooks/use-slash-focus.ts";
import { showSession, useSessions } from "../../stores/sessions-store.ts";
import { LiveChatPanel } from "./live-chat-panel.tsx";
import { NoAccess } from "./no-access.tsx";
import { Notices } from "./notices.tsx";
import { type PanelName, PanelTabs } from "./panel-tabs.tsx";
import { SessionHeader } from "./session-header.tsx";

/** The AI SDK is more than half of the script; the live session need not wait for it. */
const AiChatPanel = lazy(() => import("./ai-chat-panel.tsx").then((module) => ({ default: module.AiChatPanel })));

type SessionPageProps = { sessionId: string; onMenu: () => void };

/** One session, seen twice: over its own socket and through the AI SDK. Mount it with the session's id as key. */
export function SessionPage({ sessionId, onMenu }: SessionPageProps) {
  const chat = useChat(sessionId);
  const wide = useMediaQuery("(min-width: 70rem)");
  const [shown, setShown] = useState<PanelName>("live");
  const liveInput = useRef<HTMLTextAreaElement>(null);
  const aiInput = useRef<HTMLTextAreaElement>(null);
  useSlashFocus(wide || shown === "live" ? liveInput : aiInput);
  useFocusOnce(liveInput);
  const listed = useSessions(({ sessions }) => sessions.find((entry) => entry.id === sessionId));
  const session = useSession(chat, ({ state }) => state.session);
  const connection = useSession(chat, (store) => store.connection);
  const title = session?.title ?? listed?.title ?? "Session";

  useEffect(() => {
    document.title = `${session?.status === "running" ? "● " : ""}${title} · Agent Ops`;
    if (session) showSession(sessionId, { title: session.title, status: session.status });
  }, [session, sessionId, title]);

  if (connection.kind === "closed") return <NoAccess onMenu={onMenu} />;
  const hidden = (name: PanelName) => (wide || shown === name ? "" : "hidden");
  return (
    <>
      <SessionHeader sessionId={sessionId} fallbackTitle={title} chat={chat} onMenu={onMenu} />
      {!wide && <PanelTabs shown={shown} onShow={setShown} />}
      <div className="flex min-h-0 flex-1 divide-line wide:divide-x">
        <LiveChatPanel chat={chat} input={liveInput} className={hidden("live")} />
        <Suspense fallback={<div className={`flex-1 ${hidden("ai")}`} />}>
          <AiChatPanel sessionId={sessionId} live={chat} input={aiInput} className={hidden("ai")} />
        </Suspense>
      </div>
      <Notices chat={chat} />
    </>
  );
}

/** On a desk a session opens ready to type; on a phone that would only raise the keyboard. */
function useFocusOnce(input: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    if (matchMedia("(hover: hover)").matches) input.current?.focus();
  }, [input]);
}
