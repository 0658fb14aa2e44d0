import { ArrowDown } from "lucide-react";
import { type ReactElement, type ReactNode, useCallback, useEffect, useLayoutEffect, useRef, useState } from "react";
import { Virtualizer } from "virtua";
import { useStickToBottom } from "../../hooks/use-stick-to-bottom.ts";
import { Spinner } from "../ui/spinner.tsx";

const TOP_PX = 48;
/** Older messages are asked for when this little is left above. */
const NEAR_TOP_PX = 800;

type MessageListProps<T> = {
  label: string;
  items: readonly T[];
  keyOf: (item: T) => string;
  /** Must keep its identity, so that only what changed renders again. */
  children: (item: T, index: number) => ReactElement;
  hasOlder: boolean;
  onOlder: () => Promise<unknown>;
  /** Shown below the last message. */
  footer?: ReactNode;
  /** Changes when this reader said something: they want to see it. */
  said?: string | number | undefined;
};

/** The conversation: only what can be seen is in the page, and its end is kept in view while the reader is there. */
export function MessageList<T>(props: MessageListProps<T>) {
  const { label, items, keyOf, children, hasOlder, footer, said } = props;
  const { scroller, content, away, toBottom } = useStickToBottom();
  useEffect(() => {
    if (said !== undefined) toBottom();
  }, [said, toBottom]);
  const loading = useOlder(scroller, props);
  const first = items[0];
  const shift = useGrownAtTop(items, first === undefined ? undefined : keyOf(first), keyOf);
  const last = items.at(-1);
  return (
    <div className="relative min-h-0 flex-1">
      <section
        ref={scroller}
        aria-label={label}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the conversation is scrolled with the keyboard too
        tabIndex={0}
        data-testid="messages"
        className="h-full overflow-y-auto overscroll-contain -outline-offset-2 [overflow-anchor:none]"
      >
        <div ref={content} className="flex min-h-full flex-col">
          <div style={{ height: TOP_PX }} className="grid shrink-0 place-items-center text-xs text-ink-muted">
            {loading && <Spinner />}
            {!hasOlder && items.length > 30 && "This is where it began"}
          </div>
          <Virtualizer scrollRef={scroller} data={items} shift={shift} startMargin={TOP_PX} bufferSize={600}>
            {(item, index) => (
              <div key={keyOf(item)} className="mx-auto w-full max-w-3xl px-4 pb-7 sm:px-6">
                {children(item, index)}
              </div>
            )}
          </Virtualizer>
          {footer !== undefined && <div className="mx-auto w-full max-w-3xl px-4 pb-7 sm:px-6">{footer}</div>}
        </div>
      </section>
      {away && <JumpDown newest={last === undefined ? "" : keyOf(last)} onJump={toBottom} />}
    </div>
  );
}

/** Names what waits below: something new, or just the end. */
function JumpDown({ newest, onJump }: { newest: string; onJump: () => void }) {
  const [left] = useState(newest);
  return (
    <button
      type="button"
      onClick={onJump}
      data-testid="jump-down"
      className="rise absolute bottom-3 left-1/2 inline-flex h-8 -translate-x-1/2 items-center gap-1.5 rounded-full border border-line-strong bg-overlay px-3 text-xs font-medium shadow-high hover:bg-raised"
    >
      <ArrowDown aria-hidden="true" className="size-3.5" />
      {left === newest ? "Latest" : "New messages"}
    </button>
  );
}

/** True in the one render in which the list grew at its beginning. */
function useGrownAtTop<T>(items: readonly T[], first: string | undefined, keyOf: (item: T) => string): boolean {
  const before = useRef(first);
  const grown = before.current !== first && items.some((item) => keyOf(item) === before.current);
  useLayoutEffect(() => {
    before.current = first;
  }, [first]);
  return grown;
}

type OlderProps = { items: readonly unknown[]; hasOlder: boolean; onOlder: () => Promise<unknown> };

/** Asks for what came before when the reader comes near the top; whether it is on its way. */
function useOlder(scroller: React.RefObject<HTMLElement | null>, { items, hasOlder, onOlder }: OlderProps): boolean {
  const [loading, setLoading] = useState(false);
  const busy = useRef(false);
  const check = useCallback(async () => {
    const box = scroller.current;
    if (!box || busy.current || !hasOlder || box.scrollTop > NEAR_TOP_PX) return;
    busy.current = true;
    setLoading(true);
    await onOlder();
    setLoading(false);
    busy.current = false;
  }, [scroller, hasOlder, onOlder]);
  useEffect(() => {
    const box = scroller.current;
    const onScroll = () => void check();
    box?.addEventListener("scroll", onScroll, { passive: true });
    return () => box?.removeEventListener("scroll", onScroll);
  }, [scroller, check]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a page that did not fill the screen is followed by the next
  useEffect(() => {
    const frame = requestAnimationFrame(() => void check());
    return () => cancelAnimationFrame(frame);
  }, [items.length, check]);
  return loading;
}
