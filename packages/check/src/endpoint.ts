import type { Piece, Recording } from "./recording.ts";

export type EndpointSettings = {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  /** An exchange that takes longer is given up. */
  readonly timeoutMs: number;
};

/** Sees the text as it comes; `close` ends the exchange as `stop()` in a client does. */
export type Watch = (text: string, close: () => void) => void;

type Request = { readonly name: string; readonly url: URL; readonly init: RequestInit; readonly watch?: Watch };

/** A chat endpoint as clients see it. Whatever happens on the way is a recording, not an exception. */
export class Endpoint {
  readonly #settings: EndpointSettings;

  constructor(settings: EndpointSettings) {
    this.#settings = settings;
  }

  post(name: string, body: string, watch?: Watch): Promise<Recording> {
    const headers = { "content-type": "application/json", ...this.#settings.headers };
    return this.#exchange({ name, url: this.#settings.url, init: { method: "POST", headers, body }, watch });
  }

  resume(chatId: string, { startIndex, watch }: { startIndex?: number; watch?: Watch } = {}): Promise<Recording> {
    const url = new URL(this.#settings.url);
    url.pathname = `${url.pathname.replace(/\/$/, "")}/${encodeURIComponent(chatId)}/stream`;
    if (startIndex !== undefined) url.searchParams.set("startIndex", String(startIndex));
    const name = startIndex === undefined ? "resume" : `resume from ${startIndex}`;
    return this.#exchange({ name, url, init: { headers: this.#settings.headers }, watch });
  }

  async #exchange({ name, url, init, watch }: Request): Promise<Recording> {
    const controller = new AbortController();
    const startedAt = performance.now();
    let ending: Recording["ending"] = "cut";
    const stop = (how: Recording["ending"]) => {
      ending = how;
      controller.abort();
    };
    const timer = setTimeout(() => stop("timeout"), this.#settings.timeoutMs);
    const answer = { status: 0, headers: new Map<string, string>(), answeredAt: startedAt };
    const pieces: Piece[] = [];
    let failure: string | undefined;
    try {
      const response = await fetch(url, { ...init, signal: controller.signal });
      answer.status = response.status;
      answer.headers = new Map(response.headers);
      answer.answeredAt = performance.now();
      await readPieces(response, pieces, (text) => watch?.(text, () => stop("closed")));
      ending = "whole";
    } catch (error) {
      failure = reasonOf(error);
    }
    clearTimeout(timer);
    return { name, ...answer, startedAt, endedAt: performance.now(), pieces, ending, failure };
  }
}

async function readPieces(response: Response, pieces: Piece[], watch: (text: string) => void): Promise<void> {
  const decoder = new TextDecoder();
  const take = (text: string) => {
    if (text === "") return;
    pieces.push({ at: performance.now(), text });
    watch(text);
  };
  for await (const bytes of response.body ?? []) take(decoder.decode(bytes, { stream: true }));
  take(decoder.decode());
}

/** The network's own reason is one level below what fetch says. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  if (!(cause instanceof Error)) return error.message;
  return cause.message || ("code" in cause ? String(cause.code) : error.message);
}
