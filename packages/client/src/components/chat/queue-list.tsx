import type { QueueItem } from "@agent-ops/shared/events";
import { ListEnd, X } from "lucide-react";
import { IconButton } from "../ui/button.tsx";

type Item = { promptId: string; text: string; note: string };
export type QueueListProps = {
  items: readonly Item[];
  /** Undefined where they may not be taken back from here. */
  onWithdraw?: ((promptId: string) => void) | undefined;
};

export function queueItems(queue: readonly QueueItem[]): readonly Item[] {
  return queue.map(({ promptId, text, userId }) => ({ promptId, text, note: userId }));
}

export function QueueList({ items, onWithdraw }: QueueListProps) {
  if (items.length === 0) return null;
  return (
    <section aria-label="Waiting prompts" data-testid="queue" className="mx-auto w-full max-w-3xl px-5 sm:px-7">
      <div className="rounded-t-xl border border-b-0 border-line bg-raised/60 px-1 pt-1.5 pb-2">
        <h2 className="flex items-center gap-1.5 px-2 text-xs font-medium text-ink-muted">
          <ListEnd aria-hidden="true" className="size-3.5" />
          {items.length === 1 ? "1 message waits for its turn" : `${items.length} messages wait for their turn`}
        </h2>
        <ol className="mt-0.5 max-h-28 overflow-y-auto">
          {items.map((item) => (
            <li key={item.promptId} className="flex h-8 items-center gap-2 pl-2 text-sm">
              <span className="min-w-0 flex-1 truncate">{item.text}</span>
              <span className="shrink-0 text-xs text-ink-muted">{item.note}</span>
              {onWithdraw && (
                <IconButton
                  icon={X}
                  label={`Withdraw “${item.text}”`}
                  className="size-7"
                  onClick={() => onWithdraw(item.promptId)}
                />
              )}
            </li>
          ))}
        </ol>
      </div>
    </section>
  );
}
