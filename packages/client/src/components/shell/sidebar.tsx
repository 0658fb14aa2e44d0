import { LogOut, PanelLeftClose, Plus, Search, Settings } from "lucide-react";
import { goTo } from "../../hooks/use-route.ts";
import { signOut } from "../../stores/auth-store.ts";
import { setPreferences, type Theme, usePreferences } from "../../stores/preferences-store.ts";
import { Avatar } from "../ui/avatar.tsx";
import { IconButton } from "../ui/button.tsx";
import { Dropdown, type MenuEntry } from "../ui/dropdown.tsx";
import { Keys } from "../ui/keys.tsx";
import { Link } from "../ui/link.tsx";
import { SessionList } from "./session-list.tsx";

type SidebarProps = {
  user: string;
  selected: string | undefined;
  onNew: () => void;
  onSearch: () => void;
  /** Something was chosen: on a phone the list makes room for it. */
  onLeave: () => void;
};

export function Sidebar({ user, selected, onNew, onSearch, onLeave }: SidebarProps) {
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <div className="flex h-15 shrink-0 items-center gap-1 pr-3 pl-4">
        <Link href="/" onClick={onLeave} className="flex min-w-0 flex-1 items-center gap-2.5 rounded-lg font-semibold">
          <img src="/favicon.svg" alt="" className="size-6" />
          <span className="truncate tracking-tight">Agent Ops</span>
        </Link>
        <IconButton
          icon={PanelLeftClose}
          label="Hide the sessions"
          keys="modB"
          className="hidden size-8 md:inline-flex"
          onClick={() => setPreferences({ sidebarHidden: true })}
        />
        <IconButton icon={Plus} label="New session" look="plain" onClick={onNew} />
      </div>
      <div className="px-3 pb-2">
        <button
          type="button"
          onClick={onSearch}
          className="flex h-8.5 w-full items-center gap-2 rounded-lg border border-line bg-surface px-2.5 text-sm text-ink-muted shadow-low hover:border-line-strong"
        >
          <Search aria-hidden="true" className="size-3.5" />
          <span className="flex-1 text-left">Search</span>
          <Keys keys="modK" />
        </button>
      </div>
      <SessionList selected={selected} onOpen={onLeave} />
      <div className="p-2">
        <Account user={user} onLeave={onLeave} />
      </div>
    </div>
  );
}

const THEMES: readonly { value: Theme; label: string }[] = [
  { value: "system", label: "Like the system" },
  { value: "light", label: "Light" },
  { value: "dark", label: "Dark" },
];

function Account({ user, onLeave }: { user: string; onLeave: () => void }) {
  const theme = usePreferences((state) => state.theme);
  const settings = () => {
    onLeave();
    goTo("/settings");
  };
  const entries: MenuEntry[] = [
    { kind: "choices", label: "Appearance", value: theme, options: THEMES, onChange: chooseTheme },
    { kind: "line" },
    { kind: "action", icon: Settings, label: "Settings", onSelect: settings },
    { kind: "action", icon: LogOut, label: "Sign out", onSelect: () => signOut("left") },
  ];
  return (
    <Dropdown
      align="start"
      side="top"
      entries={entries}
      trigger={
        <button
          type="button"
          className="flex h-10 w-full items-center gap-2.5 rounded-lg px-2 text-left text-sm hover:bg-hover"
        >
          <Avatar name={user} className="size-6.5 text-xs" />
          <span className="min-w-0 flex-1 truncate font-medium">{user}</span>
          <span className="sr-only">Account</span>
        </button>
      }
    />
  );
}

function chooseTheme(value: string): void {
  const theme = THEMES.find((entry) => entry.value === value)?.value;
  if (theme) setPreferences({ theme });
}
