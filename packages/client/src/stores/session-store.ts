import type { ClientBoundEvent } from "@agent-ops/shared/events";
import { createStore, type StoreApi } from "zustand";
import { createGather } from "../lib/gather.ts";
import { emptySession, type SessionState } from "../lib/session-model.ts";
import type { Connection } from "../lib/session-socket.ts";
import { reduceSession } from "../lib/session-state.ts";

/** One update per frame of the screen is as often as anybody can see. */
const UPDATE_MS = 16;

export type SessionStore = {
  state: SessionState;
  connection: Connection;
  receive: (events: readonly ClientBoundEvent[]) => void;
  setConnection: (connection: Connection) => void;
  update: (change: (state: SessionState) => SessionState) => void;
};

export type SessionStoreApi = StoreApi<SessionStore>;

export function createSessionStore(): SessionStoreApi {
  return createStore<SessionStore>()((set) => {
    const update: SessionStore["update"] = (change) => set(({ state }) => ({ state: change(state) }));
    const receive = createGather<ClientBoundEvent>(
      (events) => update((state) => events.reduce(reduceSession, state)),
      UPDATE_MS,
    );
    return {
      state: emptySession,
      connection: { kind: "connecting" },
      receive,
      setConnection: (connection) => set({ connection }),
      update,
    };
  });
}
