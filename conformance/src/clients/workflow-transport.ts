import {
  type ChatTransport,
  parseJsonEventStream,
  type UIMessage,
  type UIMessageChunk,
  uiMessageChunkSchema,
} from "ai7";

const ERRORS = 3;

type Options = { api: string; headers: Record<string, string>; fetch: typeof fetch };

/**
 * Asks as `WorkflowChatTransport` of `@ai-sdk/workflow` 2.0.43 does, whose own dependencies are too heavy to have here:
 * neither `id` nor `trigger` in the body, the run's id from a header, then by the number of all chunks received, again
 * and again until it sees `finish`.
 */
export class WorkflowTransport implements ChatTransport<UIMessage> {
  #options: Options;

  constructor(options: Options) {
    this.#options = options;
  }

  async sendMessages({ messages, abortSignal }: Parameters<ChatTransport<UIMessage>["sendMessages"]>[0]) {
    const { api, headers, fetch: send } = this.#options;
    const body = JSON.stringify({ messages });
    const response = await send(api, {
      method: "POST",
      body,
      headers,
      ...(abortSignal ? { signal: abortSignal } : {}),
    });
    const run = response.headers.get("x-workflow-run-id");
    if (!response.ok || !run) throw new Error(`Failed to fetch chat: ${response.status} ${await response.text()}`);
    return streamOf(this.#follow(response, run));
  }

  async reconnectToStream({ chatId }: { chatId: string }) {
    return streamOf(this.#follow(await this.#resume(chatId, 0), chatId));
  }

  async *#follow(first: Response, run: string): AsyncGenerator<UIMessageChunk> {
    let count = 0;
    let errors = 0;
    for (let response = first; ; response = await this.#resume(run, count)) {
      try {
        for await (const chunk of chunksOf(response)) {
          count += 1;
          yield chunk;
          if (chunk.type === "finish") return;
        }
        errors = 0;
      } catch (error) {
        if (response !== first) errors += 1;
        if (errors >= ERRORS) throw error;
      }
    }
  }

  async #resume(run: string, startIndex: number): Promise<Response> {
    const { api, headers, fetch: send } = this.#options;
    const response = await send(`${api}/${encodeURIComponent(run)}/stream?startIndex=${startIndex}`, { headers });
    if (!response.ok || !response.body) throw new Error(`Failed to fetch chat: ${response.status}`);
    return response;
  }
}

async function* chunksOf({ body }: Response): AsyncGenerator<UIMessageChunk> {
  if (!body) return;
  for await (const read of parseJsonEventStream({ stream: body, schema: uiMessageChunkSchema })) {
    if (!read.success) throw read.error;
    yield read.value;
  }
}

function streamOf(chunks: AsyncGenerator<UIMessageChunk>): ReadableStream<UIMessageChunk> {
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await chunks.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    async cancel() {
      await chunks.return(undefined);
    },
  });
}
