import { useEffect, useMemo, useState } from "react";
import { useStore } from "zustand";
import { type ChatActions, createChatActions } from "../stores/chat-actions.ts";
import { createSessionStore, type SessionStore, type SessionStoreApi } from "../stores/session-store.ts";
import { useWebsocket } from "./use-websocket.ts";

export type Chat = { sessionId: string; store: SessionStoreApi; actions: ChatActions };

/** A session over its V2 socket. Mount it with the session's id as key: a store serves one session. */
export function useChat(sessionId: string): Chat {
  const [store] = useState(createSessionStore);
  const { receive, setConnection } = store.getState();
  const { send, retry } = useWebsocket(sessionId, { onEvents: receive, onConnection: setConnection });
  const live = useStore(store, ({ connection }) => connection.kind === "live");

  // A prompt's id makes it safe to send again what a lost connection may or may not have delivered.
  useEffect(() => {
    if (!live) return;
    for (const { id, text, attachments, model, state } of store.getState().state.pending)
      if (state === "sending") send({ type: "prompt", id, text, attachments, model });
  }, [live, send, store]);

  return useMemo(() => {
    const actions = createChatActions({ sessionId, store, send, retry });
    return { sessionId, store, actions };
  }, [sessionId, store, send, retry]);
}

export function useSession<T>(chat: Chat, select: (store: SessionStore) => T): T {
  return useStore(chat.store, select);
}
