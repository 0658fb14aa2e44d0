/** Hands items on at once when it was quiet, and together afterwards, so that a flood costs one update per interval. */
export function createGather<T>(flush: (items: T[]) => void, intervalMs: number): (items: readonly T[]) => void {
  let waiting: T[] | undefined;
  const open = () => {
    waiting = [];
    setTimeout(() => {
      const items = waiting ?? [];
      waiting = undefined;
      if (items.length === 0) return;
      open();
      flush(items);
    }, intervalMs);
  };
  return (items) => {
    if (waiting) {
      waiting.push(...items);
      return;
    }
    open();
    flush([...items]);
  };
}
