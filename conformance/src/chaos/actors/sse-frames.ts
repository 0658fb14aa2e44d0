/** The `data:` payloads of an SSE body, as they come in. Comments and names of events are left out. */
export class SseFrames {
  #decoder = new TextDecoder();
  #rest = "";

  *feed(bytes: Uint8Array): Generator<string> {
    const blocks = (this.#rest + this.#decoder.decode(bytes, { stream: true })).split("\n\n");
    this.#rest = blocks.pop() ?? "";
    for (const block of blocks) {
      const data = /^data: (.*)$/m.exec(block)?.[1];
      if (data !== undefined) yield data;
    }
  }
}

/** Whether a payload is a chunk that an index counts: neither the end mark nor of use for the moment alone. */
export function isCounted(payload: string): boolean {
  if (payload === "[DONE]") return false;
  const chunk: { transient?: boolean } = JSON.parse(payload);
  return chunk.transient !== true;
}
