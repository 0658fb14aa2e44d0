import type { SessionView } from "@agent-ops/shared/sessions";
import { create } from "zustand";
import type { NewSession } from "../lib/api.ts";
import { describeError } from "../lib/api-error.ts";
import { loadSeen, noteSessions, type Seen, saveSeen } from "../lib/seen-sessions.ts";
import type { PromptDraft } from "../lib/session-model.ts";
import { api } from "./services.ts";
import { countAct } from "./telemetry.ts";
import { addToast } from "./toast-store.ts";

export type SessionsState = {
  load: "loading" | "ready" | { failed: string };
  sessions: readonly SessionView[];
  creating: boolean;
  seen: Seen;
  /** The session on the screen: whatever happens in it is seen. */
  open: string | undefined;
};

export const useSessions = create<SessionsState>()(() => ({
  load: "loading",
  sessions: [],
  creating: false,
  seen: loadSeen(),
  open: undefined,
}));

const set = useSessions.setState;

export async function loadSessions(): Promise<void> {
  try {
    const sessions = await api.listSessions();
    set({ load: "ready", sessions: sessions.toSorted((a, b) => b.createdAt - a.createdAt) });
    note();
  } catch (error) {
    // A list that was read once is better than none.
    if (useSessions.getState().load !== "ready") set({ load: { failed: describeError(error) } });
  }
}

/** What a new session is asked first, until its page takes it. */
const firstPrompts = new Map<string, PromptDraft>();

export function takeFirstPrompt(sessionId: string): PromptDraft | undefined {
  const draft = firstPrompts.get(sessionId);
  firstPrompts.delete(sessionId);
  return draft;
}

export async function createSession(wanted: NewSession, first?: PromptDraft): Promise<SessionView | undefined> {
  set({ creating: true });
  try {
    const session = await api.createSession(wanted);
    countAct("session created");
    if (first) firstPrompts.set(session.id, first);
    set(({ sessions }) => ({ sessions: [session, ...sessions.filter((entry) => entry.id !== session.id)] }));
    return session;
  } catch (error) {
    addToast("error", describeError(error));
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
    addToast("error", describeError(error));
  }
}

export async function deleteSession(id: string): Promise<void> {
  try {
    await api.deleteSession(id);
    set(({ sessions }) => ({ sessions: sessions.filter((entry) => entry.id !== id) }));
  } catch (error) {
    addToast("error", describeError(error));
  }
}

/** Takes over what the open session's own connection says about it. */
export function showSession(id: string, change: Partial<SessionView>): void {
  set(({ sessions }) => ({
    sessions: sessions.map((entry) => (entry.id === id ? { ...entry, ...change } : entry)),
  }));
}

export function openSession(id: string | undefined): void {
  set({ open: id });
  note();
}

function note(): void {
  const { seen, sessions, open } = useSessions.getState();
  const next = noteSessions(seen, sessions, open);
  set({ seen: next });
  saveSeen(next);
}
