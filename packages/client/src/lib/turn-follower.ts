import type { UIMessage } from "ai";

/** What the follower does to a chat: shows a history, and joins the turn that runs. */
type Followed = { show: (messages: UIMessage[]) => void; join: () => Promise<void> };

const RETRY_MS = 1_000;

/**
 * Keeps a `useChat` with the session: `useChat` knows only what it sent itself, so between its own messages it waits on
 * the server for the next turn, whoever begins it, reads the history anew and joins.
 */
export class TurnFollower {
  #history: () => Promise<UIMessage[]>;
  #followed: Followed | undefined;
  /** Ends the wait for a turn, not a turn that was joined. */
  #waiting = new AbortController();
  #waitIsOver: Promise<void> = Promise.resolve();
  #sends = new Set<Promise<void>>();

  constructor(history: () => Promise<UIMessage[]>) {
    this.#history = history;
  }

  follow(followed: Followed): void {
    this.#followed = followed;
    void this.#run(followed);
  }

  stop(): void {
    this.#followed = undefined;
    this.#waiting.abort();
  }

  /** Sends something while nothing waits: the answer comes with the request itself. */
  async aside(send: () => Promise<void>): Promise<void> {
    this.#waiting.abort();
    const sent = this.#waitIsOver.then(send);
    this.#sends.add(sent);
    try {
      await sent;
    } finally {
      this.#sends.delete(sent);
    }
  }

  /** The transport's `fetch`: a resume that finds nothing, or no server, tries again until it is told to stop. */
  readonly fetch: typeof fetch = async (input, init) => {
    if (init?.method !== "GET") return fetch(input, init);
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waitIsOver = promise;
    try {
      return await this.#nextTurn(input, init);
    } finally {
      resolve();
    }
  };

  async #nextTurn(input: RequestInfo | URL, init: RequestInit): Promise<Response> {
    const waiting = this.#waiting.signal;
    for (;;) {
      const request = new AbortController();
      const abort = () => request.abort(waiting.reason);
      waiting.addEventListener("abort", abort);
      const signal = AbortSignal.any([request.signal, ...(init.signal ? [init.signal] : [])]);
      const response = await attempt(input, { ...init, signal });
      waiting.removeEventListener("abort", abort);
      waiting.throwIfAborted();
      if (response?.status === 204) continue;
      if (!response || response.status >= 500) await pause(RETRY_MS, waiting);
      else return response.ok ? this.#joined(response) : response;
    }
  }

  async #joined(response: Response): Promise<Response> {
    const messages = await this.#history();
    // A history that is older than what this page is sending would take the person's words off the screen.
    if (this.#sends.size === 0) this.#followed?.show(messages);
    return response;
  }

  async #run(followed: Followed): Promise<void> {
    while (this.#followed === followed) {
      while (this.#sends.size > 0) await Promise.allSettled(this.#sends);
      this.#waiting = new AbortController();
      await followed.join();
    }
  }
}

async function attempt(input: RequestInfo | URL, init: RequestInit): Promise<Response | undefined> {
  try {
    return await fetch(input, init);
  } catch (error) {
    if (init.signal?.aborted) throw error;
    return undefined; // the server is away; it is asked again
  }
}

/** Until the time is over, or the signal says so. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  signal.addEventListener("abort", () => resolve(), { once: true });
  return promise.finally(() => clearTimeout(timer));
}
