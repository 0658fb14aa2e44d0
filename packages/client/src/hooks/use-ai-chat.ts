import { useChat as useAiSdkChat } from "@ai-sdk/react";
import { DefaultChatTransport, type UIMessage } from "ai";
import { useEffect, useMemo, useRef, useState } from "react";
import { z } from "zod";
import { sessionPath } from "../lib/api.ts";
import { describeError } from "../lib/api-error.ts";
import type { AgentActivity } from "../lib/session-model.ts";
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

/** What the transient parts of a stream say about the agent. */
function activityOf(part: { type: string; data: unknown }): AgentActivity | undefined {
  if (part.type === "data-agent-status") return agentStatus.safeParse(part.data).data;
  return part.type === "data-queue" ? { status: "queued", detail: "Waiting for its turn" } : undefined;
}

export type AiChatOptions = {
  sessionId: string;
  initialMessages: UIMessage[];
  /** The turn that runs now, whoever started it. */
  activeTurnId: string | undefined;
};

/** The session through the AI SDK's own `useChat`. A turn outlives this page; stopping it is said to the server. */
export function useAiChat({ sessionId, initialMessages, activeTurnId }: AiChatOptions) {
  const transport = useMemo(() => createTransport(sessionId), [sessionId]);
  const [activity, setActivity] = useState<AgentActivity>();
  const chat = useAiSdkChat({
    id: sessionId,
    messages: initialMessages,
    transport,
    resume: true,
    throttle: 40,
    onData: (part) => setActivity(activityOf(part)),
    onFinish: () => setActivity(undefined),
  });
  const sends = useFollowedTurns(chat, sessionId, activeTurnId);

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

/** `useChat` knows only what it sent itself. When somebody else's turn begins or ends, read the history again and join it. */
function useFollowedTurns(chat: SdkChat, sessionId: string, activeTurnId: string | undefined) {
  const sends = useRef(0);
  const latest = useRef(chat);
  latest.current = chat;
  const followed = useRef(activeTurnId);

  useEffect(() => {
    if (followed.current === activeTurnId) return;
    followed.current = activeTurnId;
    const sendsBefore = sends.current;
    const isFree = () => !isBusy(latest.current) && sends.current === sendsBefore && followed.current === activeTurnId;
    if (!isFree()) return;
    const join = async () => {
      const messages = await api.messages(sessionId);
      if (!isFree()) return;
      latest.current.setMessages(messages);
      if (activeTurnId === undefined) return;
      latest.current.clearError();
      await latest.current.resumeStream();
    };
    join().catch((error: unknown) => console.warn("useChat could not follow the session:", describeError(error)));
  }, [activeTurnId, sessionId]);
  return sends;
}

function isBusy(chat: SdkChat): boolean {
  return chat.status === "submitted" || chat.status === "streaming";
}
