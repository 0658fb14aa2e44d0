import { useChat as useAiSdkChat } from "@ai-sdk/react";
import { DefaultChatTransport, type UIMessage } from "ai";
import { useEffect, useMemo, useState } from "react";
import { z } from "zod";
import { sessionPath } from "../lib/api.ts";
import { describeError } from "../lib/api-error.ts";
import { type AgentActivity, WAITING } from "../lib/session-model.ts";
import { TurnFollower } from "../lib/turn-follower.ts";
import { currentToken } from "../stores/auth-store.ts";
import { api } from "../stores/services.ts";

const WAIT_SECONDS = 25;

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

/** The session through the AI SDK's own `useChat`. A turn outlives this page; stopping it is said to the server. */
export function useAiChat(sessionId: string, initialMessages: UIMessage[]) {
  const follower = useMemo(() => new TurnFollower(() => api.messages(sessionId)), [sessionId]);
  const transport = useMemo(() => createTransport(sessionId, follower), [sessionId, follower]);
  const [activity, setActivity] = useState<AgentActivity>();
  const chat = useAiSdkChat({
    id: sessionId,
    messages: initialMessages,
    transport,
    throttle: 40,
    onData: (part) => setActivity(activityIn(part)),
    onFinish: () => setActivity(undefined),
  });
  const { setMessages, resumeStream } = chat;

  useEffect(() => {
    follower.follow({ show: setMessages, join: resumeStream });
    return () => follower.stop();
  }, [follower, setMessages, resumeStream]);

  const send = (text: string) => void follower.aside(() => chat.sendMessage({ text }));
  const stop = () => {
    api.abort(sessionId).catch(() => chat.stop());
  };
  return { messages: chat.messages, running: isBusy(chat.status), error: chat.error, activity, send, stop };
}

/** Resuming waits on the server until a turn begins, whoever begins it. */
function createTransport(sessionId: string, follower: TurnFollower): DefaultChatTransport<UIMessage> {
  return new DefaultChatTransport({
    api: sessionPath(sessionId, "chat"),
    headers: () => ({ authorization: `Bearer ${currentToken() ?? ""}` }),
    body: { onDisconnect: "detach" },
    prepareReconnectToStreamRequest: ({ api: base, id }) => ({ api: `${base}/${id}/stream?wait=${WAIT_SECONDS}` }),
    fetch: follower.fetch,
  });
}

function isBusy(status: string): boolean {
  return status === "submitted" || status === "streaming";
}
