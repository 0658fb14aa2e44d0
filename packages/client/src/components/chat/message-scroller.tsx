import type { ReactNode } from "react";
import { useStickToBottom } from "../../hooks/use-stick-to-bottom.ts";
import { Icon } from "../ui/icon.tsx";

/** The conversation: announced politely as it grows, kept at its end while the reader is there. */
export function MessageScroller({ label, children }: { label: string; children: ReactNode }) {
  const { scroller, content, away, toBottom } = useStickToBottom();
  return (
    <div className="relative min-h-0 flex-1">
      <div ref={scroller} className="h-full overflow-y-auto overscroll-contain">
        <div
          ref={content}
          role="log"
          aria-label={label}
          aria-live="polite"
          className="mx-auto flex min-h-full max-w-3xl flex-col gap-6 px-4 py-5 sm:px-6"
        >
          {children}
        </div>
      </div>
      {away && (
        <button
          type="button"
          onClick={toBottom}
          className="absolute bottom-3 left-1/2 inline-flex -translate-x-1/2 items-center gap-1.5 rounded-full border border-line-strong bg-surface px-3 py-1 text-sm shadow-md hover:bg-hover"
        >
          <Icon name="down" className="size-3.5" />
          Latest
        </button>
      )}
    </div>
  );
}
