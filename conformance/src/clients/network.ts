/** A network that can break. What is open then fails as in a browser; what comes later works. */
export class Network {
  #cuts = new Set<() => void>();

  fetch: typeof fetch = async (input, init) => {
    const line = new AbortController();
    const signal = init?.signal ? AbortSignal.any([init.signal, line.signal]) : line.signal;
    const response = await fetch(input, { ...init, signal });
    const { status, headers } = response;
    return new Response(response.body && this.#breakable(response.body, line), { status, headers });
  };

  /** How many responses were begun since the last cut. */
  get lines(): number {
    return this.#cuts.size;
  }

  cut(): void {
    for (const cut of this.#cuts) cut();
    this.#cuts.clear();
  }

  #breakable(body: ReadableStream<Uint8Array<ArrayBuffer>>, line: AbortController): ReadableStream<Uint8Array> {
    const reader = body.getReader();
    const broken = Promise.withResolvers<never>();
    broken.promise.catch(() => undefined);
    this.#cuts.add(() => {
      broken.reject(new TypeError("network error"));
      line.abort();
    });
    return new ReadableStream({
      async pull(controller) {
        const { done, value } = await Promise.race([reader.read(), broken.promise]);
        if (done) controller.close();
        else controller.enqueue(value);
      },
      cancel: (reason) => reader.cancel(reason),
    });
  }
}
