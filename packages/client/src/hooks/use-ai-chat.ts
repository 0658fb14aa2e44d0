import { useChat as useAiSdkChat } from "@ai-sdk/react";
import { DefaultChatTransport, type UIMessage } from "ai";
import { useEffect, useMemo, useRef, useState } from "react";
import { z } from "zod";
import { sessionPath } from "../lib/api.ts";
import { describeError } from "../lib/api-error.ts";
import { type AgentActivity, WAITING } from "../lib/session-model.ts";
import { currentToken } from "../stores/auth-store.ts";
import { api } from "../stores/services.ts";

type SdkChat = ReturnType<typeof useAiSdkChat<UIMessage>>;

export type History = { kind: "loading" } | { kind: "ready"; messages: UIMessage[] } | { kind: "failed"; text: string };

/** What the hook starts from: the session's history as the server tells it. */
export function useHistory(sessionId: string): History {
  const [history, setHistory] = useState<History>({ kind: "loading" });
  useEffect(() => {
    let current = true;
    api.messages(sessionId).then(
      (messages) => current && setHistory({ kind: "ready", messages }),
      (error: unknown) => current && setHistory({ kind: "failed", text: describeError(error) }),
    );
    return () => {
      current = false;
    };
  }, [sessionId]);
  return history;
}

const agentStatus = z.object({ status: z.string(), detail: z.string().optional() });

/** What the data parts of a stream say about the agent. */
function activityIn(part: { type: string; data: unknown }): AgentActivity | undefined {
  if (part.type === "data-question") return WAITING;
  if (part.type === "data-agent-status") return agentStatus.safeParse(part.data).data;
  return part.type === "data-queue" ? { status: "queued", detail: "Waiting for its turn" } : undefined;
}

export type AiChatOptions = {
  sessionId: string;
  initialMessages: UIMessage[];
  live: LiveTurn;
};

/** What the session's own socket says: the turn that runs now, whoever started it, and whether that is up to date. */
type LiveTurn = { activeTurnId: string | undefined; connected: boolean };

/** The session through the AI SDK's own `useChat`. A turn outlives this page; stopping it is said to the server. */
export function useAiChat({ sessionId, initialMessages, live }: AiChatOptions) {
  const transport = useMemo(() => createTransport(sessionId), [sessionId]);
  const [activity, setActivity] = useState<AgentActivity>();
  const chat = useAiSdkChat({
    id: sessionId,
    messages: initialMessages,
    transport,
    resume: true,
    throttle: 40,
    onData: (part) => setActivity(activityIn(part)),
    onFinish: () => setActivity(undefined),
  });
  const sends = useFollowedTurns(chat, sessionId, live);

  const send = (text: string) => {
    sends.current += 1;
    void chat.sendMessage({ text });
  };
  const stop = () => {
    api.abort(sessionId).catch(() => chat.stop());
  };
  return { messages: chat.messages, running: isBusy(chat), error: chat.error, activity, send, stop };
}

function createTransport(sessionId: string): DefaultChatTransport<UIMessage> {
  return new DefaultChatTransport({
    api: sessionPath(sessionId, "chat"),
    headers: () => ({ authorization: `Bearer ${currentToken() ?? ""}` }),
    body: { onDisconnect: "detach" },
  });
}

/**
 * `useChat` knows only what it sent itself, and gives up when its connection breaks. When somebody else's turn begins or
 * ends, or the session can be reached again, read the history anew and join what runs.
 */
function useFollowedTurns(chat: SdkChat, sessionId: string, { activeTurnId, connected }: LiveTurn) {
  const sends = useRef(0);
  const latest = useRef(chat);
  latest.current = chat;
  const followed = useRef(activeTurnId);

  useEffect(() => {
    if (!connected || (followed.current === activeTurnId && latest.current.status !== "error")) return;
    followed.current = activeTurnId;
    const sendsBefore = sends.current;
    const isFree = () => !isBusy(latest.current) && sends.current === sendsBefore && followed.current === activeTurnId;
    if (!isFree()) return;
    const join = async () => {
      const messages = await api.messages(sessionId);
      if (!isFree()) return;
      latest.current.setMessages(messages);
      latest.current.clearError();
      if (activeTurnId !== undefined) await latest.current.resumeStream();
    };
    join().catch((error: unknown) => console.warn("useChat could not follow the session:", describeError(error)));
  }, [activeTurnId, connected, sessionId]);
  return sends;
}

function isBusy(chat: SdkChat): boolean {
  return chat.status === "submitted" || chat.status === "streaming";
}
