import { z } from "zod";
import { create } from "zustand";

const KEY = "agent-ops.preferences";
const preferences = z.object({
  theme: z.enum(["system", "light", "dark"]).catch("system"),
  /** Sessions whose chat goes through the AI SDK's hook, and what holds for the others. */
  aiSdkSessions: z.record(z.string(), z.boolean()).catch({}),
  aiSdkByDefault: z.boolean().catch(false),
  reasoningOpen: z.boolean().catch(false),
  sidebarHidden: z.boolean().catch(false),
  /** The agent that was chosen last. */
  agent: z.string().catch(""),
});
export type Preferences = z.infer<typeof preferences>;
export type Theme = Preferences["theme"];

export const usePreferences = create<Preferences>()(() => load());

export function setPreferences(change: Partial<Preferences>): void {
  usePreferences.setState(change);
  localStorage.setItem(KEY, JSON.stringify(usePreferences.getState()));
  applyTheme();
}

/** The flag of one session: its chat over the socket, or through `useChat`. */
export function setAiSdk(sessionId: string, on: boolean): void {
  const { aiSdkSessions } = usePreferences.getState();
  setPreferences({ aiSdkSessions: { ...aiSdkSessions, [sessionId]: on } });
}

export function useAiSdkFlag(sessionId: string): boolean {
  return usePreferences(({ aiSdkSessions, aiSdkByDefault }) => aiSdkSessions[sessionId] ?? aiSdkByDefault);
}

export function applyTheme(): void {
  const { theme } = usePreferences.getState();
  if (theme === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
}

function load(): Preferences {
  try {
    return preferences.parse(JSON.parse(localStorage.getItem(KEY) ?? "{}"));
  } catch {
    return preferences.parse({});
  }
}
