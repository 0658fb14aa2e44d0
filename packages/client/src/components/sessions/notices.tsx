import { type Chat, useSession } from "../../hooks/use-chat.ts";
import type { Notice } from "../../lib/session-model.ts";
import { IconButton } from "../ui/button.tsx";

const COLOURS: Record<Notice["level"], string> = { info: "text-ink", warning: "text-warn", error: "text-bad" };

export function Notices({ chat }: { chat: Chat }) {
  const notices = useSession(chat, ({ state }) => state.notices);
  return (
    <div
      role="status"
      className="pointer-events-none fixed right-4 bottom-24 z-20 w-80 max-w-[calc(100vw-2rem)] space-y-2"
    >
      {notices.map((notice) => (
        <div
          key={notice.id}
          className="pointer-events-auto flex items-start gap-2 rounded-xl border border-line-strong bg-surface py-1.5 pr-1.5 pl-3.5 text-sm shadow-lg"
        >
          <p className={`min-w-0 flex-1 py-1 wrap-anywhere ${COLOURS[notice.level]}`}>{notice.text}</p>
          <IconButton icon="close" label="Dismiss" className="size-7" onClick={() => chat.actions.dismiss(notice.id)} />
        </div>
      ))}
    </div>
  );
}
