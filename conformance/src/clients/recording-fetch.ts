/** One request of a client and what it got. */
export type Exchange = {
  readonly method: string;
  readonly url: string;
  readonly body?: string;
  status?: number;
  /** The `data:` payloads received so far. */
  readonly frames: string[];
};

/** Fetches as usual and writes down what comes. A cancel by the reader goes through to the server. */
export function recordingFetch(exchanges: Exchange[], fetcher: typeof fetch): typeof fetch {
  return async (input, init) => {
    const exchange: Exchange = {
      method: init?.method ?? "GET",
      url: String(input),
      ...(typeof init?.body === "string" ? { body: init.body } : {}),
      frames: [],
    };
    exchanges.push(exchange);
    const response = await fetcher(input, init);
    exchange.status = response.status;
    const { status, statusText, headers } = response;
    const body = response.body?.pipeThrough(recordFrames(exchange.frames)) ?? null;
    return new Response(body, { status, statusText, headers });
  };
}

function recordFrames(frames: string[]): TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>> {
  const decoder = new TextDecoder();
  let rest = "";
  return new TransformStream({
    transform(bytes, controller) {
      const lines = (rest + decoder.decode(bytes, { stream: true })).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) if (line.startsWith("data:")) frames.push(line.slice("data:".length).trim());
      controller.enqueue(bytes);
    },
  });
}
