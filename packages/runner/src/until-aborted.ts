import type { Clock } from "./clock.ts";

interface Bound {
  signal: AbortSignal;
  clock: Clock;
  graceMs: number;
}

/**
 * Passes a source on, for `graceMs` after an abort at the longest: a source that hangs does not hold its reader, neither
 * in `next` nor in `return`.
 */
export async function* untilAborted<Item>(source: AsyncIterable<Item>, bound: Bound): AsyncGenerator<Item> {
  const iterator = source[Symbol.asyncIterator]();
  let expired = false;
  let expire = () => {};
  const onAbort = () => {
    cancelGrace = bound.clock.after(bound.graceMs, () => {
      expired = true;
      expire();
    });
  };
  let cancelGrace = () => {};
  if (bound.signal.aborted) onAbort();
  else bound.signal.addEventListener("abort", onAbort, { once: true });
  // One promise a step: racing each step against one long-lived promise would pile up its reactions.
  const step = () =>
    new Promise<IteratorResult<Item> | undefined>((resolve, reject) => {
      expire = () => resolve(undefined);
      iterator.next().then(resolve, reject);
    });
  try {
    while (!expired) {
      const result = await step();
      if (!result || result.done) return;
      yield result.value;
    }
  } finally {
    bound.signal.removeEventListener("abort", onAbort);
    cancelGrace();
    leave(iterator);
  }
}

/** What a promise gives, or nothing where the signal aborts before. */
export function unlessAborted<Value>(promise: Promise<Value>, signal: AbortSignal): Promise<Value | undefined> {
  if (signal.aborted) return Promise.resolve(undefined);
  return new Promise((resolve, reject) => {
    const give = () => resolve(undefined);
    signal.addEventListener("abort", give, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", give));
  });
}

/** The turn is over for us; how the agent takes it no longer matters to anybody. */
function leave(iterator: AsyncIterator<unknown>): void {
  iterator.return?.().catch(() => {});
}
