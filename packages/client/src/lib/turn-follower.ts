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
  #waitIsOver: Promise<"joined" | "given-up"> = Promise.resolve("joined");
  #joining: Promise<void> = Promise.resolve();
  #sends = new Set<Promise<void>>();
  /** Whether the history may lack a turn that ended between reading it and asking what runs. */
  #stale = true;

  constructor(history: () => Promise<UIMessage[]>) {
    this.#history = history;
  }

  follow(followed: Followed): void {
    this.#followed = followed;
    this.#stale = true;
    void this.#run(followed);
  }

  stop(): void {
    this.#followed = undefined;
    this.#waiting.abort();
  }

  /** Sends something while nothing waits: the answer comes with the request itself. */
  async aside(send: () => Promise<void>): Promise<void> {
    this.#waiting.abort();
    const sent = this.#quiet().then(send);
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
    const { promise, resolve } = Promise.withResolvers<"joined" | "given-up">();
    this.#waitIsOver = promise;
    try {
      const response = await this.#nextTurn(input, init);
      resolve("joined");
      return response;
    } catch (error) {
      resolve("given-up");
      throw error;
    }
  };

  /** A chat that gives up waiting says that it is ready; what is sent comes after that, or it would be taken back. */
  async #quiet(): Promise<void> {
    if ((await this.#waitIsOver) === "given-up") await this.#joining;
  }

  async #nextTurn(input: RequestInfo | URL, init: RequestInit): Promise<Response> {
    const waiting = this.#waiting.signal;
    for (;;) {
      const request = new AbortController();
      const abort = () => request.abort(waiting.reason);
      waiting.addEventListener("abort", abort);
      const signal = AbortSignal.any([request.signal, ...(init.signal ? [init.signal] : [])]);
      const response = await attempt(this.#stale ? withoutWait(input) : input, { ...init, signal });
      waiting.removeEventListener("abort", abort);
      waiting.throwIfAborted();
      if (response?.status === 204) {
        await this.#catchUp();
        waiting.throwIfAborted();
      } else if (!response || response.status >= 500) {
        this.#stale = true;
        await pause(RETRY_MS, waiting);
      } else return response.ok ? this.#joined(response) : response;
    }
  }

  /** Nothing runs: what has ended meanwhile is in the history by now. */
  async #catchUp(): Promise<void> {
    try {
      await this.#showHistory();
      this.#stale = false;
    } catch {
      this.#stale = true; // the server is away; the next attempt reads again
    }
  }

  async #joined(response: Response): Promise<Response> {
    this.#stale = false;
    await this.#showHistory();
    return response;
  }

  async #showHistory(): Promise<void> {
    const messages = await this.#history();
    // A history that is older than what this page is sending would take the person's words off the screen.
    if (this.#sends.size === 0) this.#followed?.show(messages);
  }

  async #run(followed: Followed): Promise<void> {
    while (this.#followed === followed) {
      while (this.#sends.size > 0) await Promise.allSettled(this.#sends);
      this.#waiting = new AbortController();
      this.#joining = followed.join();
      await this.#joining;
    }
  }
}

/** A question about now, and not about the next 25 seconds. */
function withoutWait(input: RequestInfo | URL): RequestInfo | URL {
  return typeof input === "string" ? input.replace(/([?&])wait=\d+/, "$1wait=0") : input;
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
