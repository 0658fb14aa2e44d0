import type { SessionView } from "@agent-ops/shared/sessions";
import { House, LogOut, type LucideIcon, MessageSquare, Monitor, Moon, Plus, Settings, Sun } from "lucide-react";
import { goTo } from "../../hooks/use-route.ts";
import { sessionHref } from "../../lib/routes.ts";
import { formatAge } from "../../lib/times.ts";
import { signOut } from "../../stores/auth-store.ts";
import { setPreferences } from "../../stores/preferences-store.ts";

export type PaletteEntry = { id: string; title: string; hint: string; icon: LucideIcon; run: () => void };

const SHOWN = 50;

export function entriesOf(sessions: readonly SessionView[], onNew: () => void): PaletteEntry[] {
  const commands: PaletteEntry[] = [
    { id: "new", title: "New session", hint: "Command", icon: Plus, run: onNew },
    { id: "home", title: "Home", hint: "Page", icon: House, run: () => goTo("/") },
    { id: "settings", title: "Settings", hint: "Page", icon: Settings, run: () => goTo("/settings") },
    { id: "dark", title: "Dark appearance", hint: "Command", icon: Moon, run: () => setPreferences({ theme: "dark" }) },
    {
      id: "light",
      title: "Light appearance",
      hint: "Command",
      icon: Sun,
      run: () => setPreferences({ theme: "light" }),
    },
    {
      id: "system",
      title: "Appearance like the system",
      hint: "Command",
      icon: Monitor,
      run: () => setPreferences({ theme: "system" }),
    },
    { id: "sign-out", title: "Sign out", hint: "Command", icon: LogOut, run: () => signOut("left") },
  ];
  const places = sessions.map(({ id, title, agent, createdAt }) => ({
    id,
    title,
    hint: `${agent} · ${formatAge(createdAt)}`,
    icon: MessageSquare,
    run: () => goTo(sessionHref(id)),
  }));
  return [...commands.slice(0, 1), ...places, ...commands.slice(1)];
}

/** Entries that have every word of the query; those that begin with it come first. */
export function search(entries: readonly PaletteEntry[], query: string): PaletteEntry[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const found = entries.filter(({ title, hint }) => {
    const text = `${title} ${hint}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
  const first = words[0] ?? "";
  const rank = ({ title }: PaletteEntry) => (title.toLowerCase().startsWith(first) ? 0 : 1);
  return found.toSorted((a, b) => rank(a) - rank(b)).slice(0, SHOWN);
}
