import { Tabs } from "@base-ui/react/tabs";
import { FileDiff, type LucideIcon, ScrollText, SearchCheck, Split, Users, X } from "lucide-react";
import type { Chat } from "../../hooks/use-chat.ts";
import { PANELS, type PanelName } from "../../lib/routes.ts";
import { IconButton } from "../ui/button.tsx";
import { AuditTab } from "./audit-tab.tsx";
import { ChangesTab } from "./changes-tab.tsx";
import { ChildrenTab } from "./children-tab.tsx";
import { PeopleTab } from "./people-tab.tsx";
import { ReviewTab } from "./review-tab.tsx";

const TABS: Record<
  PanelName,
  { label: string; icon: LucideIcon; content: (props: { chat: Chat }) => React.ReactNode }
> = {
  changes: { label: "Changes", icon: FileDiff, content: ChangesTab },
  review: { label: "Review", icon: SearchCheck, content: ReviewTab },
  children: { label: "Child sessions", icon: Split, content: ChildrenTab },
  people: { label: "People", icon: Users, content: PeopleTab },
  audit: { label: "Audit log", icon: ScrollText, content: AuditTab },
};

type SidePanelProps = { chat: Chat; panel: PanelName; onShow: (panel: PanelName | undefined) => void };

/** What there is to know about a session besides its conversation. */
export function SidePanel({ chat, panel, onShow }: SidePanelProps) {
  return (
    <Tabs.Root
      value={panel}
      onValueChange={(next: PanelName) => onShow(next)}
      data-testid="side-panel"
      className="flex min-h-0 flex-1 flex-col bg-surface"
    >
      <div className="flex h-13 shrink-0 items-center gap-1 border-b border-line px-2.5 xl:-mt-px">
        <Tabs.List aria-label="About this session" className="flex min-w-0 flex-1 items-center gap-0.5">
          {PANELS.map((name) => (
            <PanelTab key={name} name={name} current={name === panel} />
          ))}
        </Tabs.List>
        <IconButton icon={X} label="Hide the side panel" onClick={() => onShow(undefined)} />
      </div>
      {PANELS.map((name) => {
        const Content = TABS[name].content;
        return (
          <Tabs.Panel key={name} value={name} className="min-h-0 flex-1 overflow-y-auto -outline-offset-2">
            {name === panel && <Content chat={chat} />}
          </Tabs.Panel>
        );
      })}
    </Tabs.Root>
  );
}

function PanelTab({ name, current }: { name: PanelName; current: boolean }) {
  const { label, icon: Icon } = TABS[name];
  return (
    <Tabs.Tab
      value={name}
      aria-label={label}
      data-hint={label}
      className="inline-flex h-8 items-center gap-1.5 rounded-lg px-2.5 text-sm text-ink-muted hover:bg-hover hover:text-ink data-[active]:bg-raised data-[active]:font-medium data-[active]:text-ink"
    >
      <Icon aria-hidden="true" className="size-4" />
      {current && <span className="truncate">{label}</span>}
    </Tabs.Tab>
  );
}
