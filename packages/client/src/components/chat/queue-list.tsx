import type { QueueItem } from "@agent-ops/shared/events";
import { IconButton } from "../ui/button.tsx";

type QueueListProps = { items: readonly QueueItem[]; onWithdraw: (promptId: string) => void };

export function QueueList({ items, onWithdraw }: QueueListProps) {
  if (items.length === 0) return null;
  return (
    <section aria-label="Waiting prompts" data-testid="queue" className="mx-auto w-full max-w-3xl px-4 pb-2 sm:px-6">
      <h3 className="text-xs text-ink-muted">
        {items.length === 1 ? "1 prompt waits for its turn" : `${items.length} prompts wait for their turn`}
      </h3>
      <ol className="mt-1 max-h-28 space-y-1 overflow-y-auto">
        {items.map((item) => (
          <li
            key={item.promptId}
            className="flex items-center gap-2 rounded-lg border border-dashed border-line-strong pl-3 text-sm"
          >
            <span className="min-w-0 flex-1 truncate">{item.text}</span>
            <span className="shrink-0 text-xs text-ink-muted">{item.userId}</span>
            <IconButton
              icon="close"
              label={`Withdraw “${item.text}”`}
              className="size-8"
              onClick={() => onWithdraw(item.promptId)}
            />
          </li>
        ))}
      </ol>
    </section>
  );
}
