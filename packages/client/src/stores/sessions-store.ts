import type { SessionView } from "@agent-ops/shared/sessions";
import { create } from "zustand";
import { describeError } from "../lib/api-error.ts";
import { api } from "./services.ts";

export type SessionsState = {
  load: "loading" | "ready" | { failed: string };
  sessions: readonly SessionView[];
  creating: boolean;
  /** The last thing that could not be done, for people. */
  failure: string | undefined;
};

export const useSessions = create<SessionsState>()(() => ({
  load: "loading",
  sessions: [],
  creating: false,
  failure: undefined,
}));

const set = useSessions.setState;

export async function loadSessions(): Promise<void> {
  try {
    const sessions = await api.listSessions();
    set({ load: "ready", sessions: sessions.toSorted((a, b) => b.createdAt - a.createdAt) });
  } catch (error) {
    set({ load: { failed: describeError(error) } });
  }
}

export async function createSession(): Promise<SessionView | undefined> {
  set({ creating: true, failure: undefined });
  try {
    const session = await api.createSession("demo");
    set(({ sessions }) => ({ sessions: [session, ...sessions.filter((entry) => entry.id !== session.id)] }));
    return session;
  } catch (error) {
    set({ failure: describeError(error) });
    return undefined;
  } finally {
    set({ creating: false });
  }
}

export async function renameSession(id: string, title: string): Promise<void> {
  try {
    await api.renameSession(id, title);
    showSession(id, { title });
  } catch (error) {
    set({ failure: describeError(error) });
  }
}

export async function deleteSession(id: string): Promise<boolean> {
  try {
    await api.deleteSession(id);
    set(({ sessions }) => ({ sessions: sessions.filter((entry) => entry.id !== id) }));
    return true;
  } catch (error) {
    set({ failure: describeError(error) });
    return false;
  }
}

/** Takes over what the open session's own connection says about it. */
export function showSession(id: string, change: Partial<SessionView>): void {
  set(({ sessions }) => ({
    sessions: sessions.map((entry) => (entry.id === id ? { ...entry, ...change } : entry)),
  }));
}

export function dismissFailure(): void {
  set({ failure: undefined });
}
