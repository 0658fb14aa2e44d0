import type { Answer } from "@agent-ops/shared/questions";
import { useEffect, useMemo, useState } from "react";
import { useStore } from "zustand";
import { addNotice, addPending, dismissNotice, dropPending } from "../lib/session-model.ts";
import { createSessionStore, type SessionStore, type SessionStoreApi } from "../stores/session-store.ts";
import { useWebsocket } from "./use-websocket.ts";

type ChatActions = {
  prompt: (text: string) => void;
  stop: () => void;
  answer: (questionId: string, answer: Answer) => void;
  withdraw: (promptId: string) => void;
  forget: (promptId: string) => void;
  dismiss: (noticeId: number) => void;
  retry: () => void;
};

export type Chat = { store: SessionStoreApi; actions: ChatActions };

/** A session over its V2 socket. Mount it with the session's id as key: a store serves one session. */
export function useChat(sessionId: string): Chat {
  const [store] = useState(createSessionStore);
  const { receive, setConnection } = store.getState();
  const { send, retry } = useWebsocket(sessionId, { onEvents: receive, onConnection: setConnection });
  const live = useStore(store, ({ connection }) => connection.kind === "live");

  // A prompt's id makes it safe to send again what a lost connection may or may not have delivered.
  useEffect(() => {
    if (!live) return;
    for (const { id, text, state } of store.getState().state.pending)
      if (state === "sending") send({ type: "prompt", id, text });
  }, [live, send, store]);

  const actions = useMemo(() => createActions(store, send, retry), [store, send, retry]);
  return { store, actions };
}

export function useSession<T>(chat: Chat, select: (store: SessionStore) => T): T {
  return useStore(chat.store, select);
}

type Send = ReturnType<typeof useWebsocket>["send"];

function createActions(store: SessionStoreApi, send: Send, retry: () => void): ChatActions {
  const { update } = store.getState();
  const sendNow: Send = (command) => {
    const sent = send(command);
    if (!sent) update((state) => addNotice(state, "warning", "Not connected right now. Try again in a moment."));
    return sent;
  };
  return {
    prompt: (text) => {
      const id = crypto.randomUUID();
      update((state) => addPending(state, id, text));
      send({ type: "prompt", id, text });
    },
    stop: () => sendNow({ type: "abort" }),
    answer: (questionId, answer) => sendNow({ type: "answer", questionId, answer }),
    withdraw: (promptId) => sendNow({ type: "withdraw", promptId }),
    forget: (promptId) => update((state) => dropPending(state, promptId)),
    dismiss: (noticeId) => update((state) => dismissNotice(state, noticeId)),
    retry,
  };
}
