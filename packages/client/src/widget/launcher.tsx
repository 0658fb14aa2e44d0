import { MessageCircle, X } from "lucide-react";
import { useState } from "react";
import { IconButton } from "../components/ui/button.tsx";
import { AgentChat, type AgentChatProps } from "./agent-chat.tsx";

/** A button in the corner of the page that opens the chat. */
export function Launcher(props: AgentChatProps) {
  const [open, setOpen] = useState(false);
  const [opened, setOpened] = useState(false);
  const { title = "Chat" } = props;
  const toggle = () => {
    setOpened(true);
    setOpen(!open);
  };
  return (
    <div className="agent-ops fixed right-4 bottom-4 z-[2147483000] flex flex-col items-end gap-3 bg-transparent! sm:right-5 sm:bottom-5">
      {opened && (
        <div
          role="dialog"
          aria-label={title}
          hidden={!open}
          className="rise flex h-[min(38rem,calc(100dvh-7rem))] w-[min(25rem,calc(100vw-2rem))] flex-col overflow-hidden rounded-2xl border border-line bg-surface shadow-high [&[hidden]]:hidden"
        >
          <header className="flex h-12 shrink-0 items-center gap-2 border-b border-line pr-2 pl-4">
            <h2 className="min-w-0 flex-1 truncate text-sm font-semibold tracking-tight">{title}</h2>
            <IconButton icon={X} label="Close the chat" onClick={() => setOpen(false)} />
          </header>
          <div className="min-h-0 flex-1">
            <AgentChat {...props} />
          </div>
        </div>
      )}
      <IconButton
        icon={open ? X : MessageCircle}
        label={open ? "Hide the chat" : "Open the chat"}
        look="primary"
        aria-expanded={open}
        className="size-13 rounded-full! shadow-high"
        iconClassName="size-6"
        onClick={toggle}
      />
    </div>
  );
}
