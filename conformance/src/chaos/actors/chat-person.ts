import { setTimeout as delay } from "node:timers/promises";
import type { Api } from "../../api.ts";
import { type ChatClient, type ClientVersion, createClient, textOf } from "../../clients/create-client.ts";
import { Network } from "../../clients/network.ts";
import type { PlannedPrompt } from "../plan.ts";
import type { Recording } from "../recording.ts";
import type { SessionWatch } from "../session-watch.ts";

const RETRY_MS = 100;
/** How long a prompt whose request failed may take to show up all the same. */
const LATE_MS = 2_000;
const TURN_MS = 120_000;

type Options = { api: Api; sessionId: string; version: ClientVersion; recording: Recording; watch: SessionWatch };

/** A person with a real AI SDK client who loads the page anew whenever the connection fails, until the answer is there. */
export class ChatPerson {
  #options: Options;
  #network = new Network();
  #connections = 0;
  #stopped = false;

  constructor(options: Options) {
    this.#options = options;
  }

  /** Sends a prompt, under another tag where it cannot have been taken, and reads the answer to its end. */
  async ask({ tag, text }: PlannedPrompt): Promise<void> {
    for (let attempt = 0; !this.#stopped; attempt += 1) {
      const sentTag = attempt === 0 ? tag : `${tag}r${attempt}`;
      const client = await this.#load();
      this.#options.recording.note({ k: "sent", tag: sentTag });
      await client.send(attempt === 0 ? text : `${text}r${attempt}`).catch(() => undefined);
      const taken = client.exchanges[0]?.status === 200;
      if (taken) this.#options.recording.note({ k: "taken", tag: sentTag });
      const { watch } = this.#options;
      const begun = await watch.until(() => watch.turnsByTag.has(sentTag), taken ? TURN_MS : LATE_MS);
      if (taken || begun) return this.#readToEnd(sentTag, client);
    }
  }

  cut(): void {
    this.#network.cut();
  }

  stop(): void {
    this.#stopped = true;
    this.cut();
  }

  async #readToEnd(tag: string, first: ChatClient): Promise<void> {
    const { watch, recording } = this.#options;
    const turnId = watch.turnsByTag.get(tag) ?? "";
    let client = first;
    while (!this.#stopped) {
      await client.waitUntilReady(TURN_MS);
      const over = watch.ended.has(turnId);
      if (over && isWhole(client)) break;
      await delay(RETRY_MS);
      client = await this.#load();
      await client.resume().catch(() => undefined);
    }
    const shown = client.messages.find(({ id }) => id === turnId);
    if (shown) recording.note({ k: "view", turnId, text: textOf(shown) });
  }

  /** The page as it opens: with the messages that are stored. */
  async #load(): Promise<ChatClient> {
    const { api, sessionId, version } = this.#options;
    const messages = await this.#history();
    return createClient(version, {
      api: `${api.url}/api/sessions/${sessionId}/chat`,
      chatId: sessionId,
      headers: { ...api.headers, "x-agent-ops-on-disconnect": "detach" },
      fetch: this.#fetch,
      messages,
    });
  }

  async #history() {
    while (!this.#stopped) {
      try {
        return await this.#options.api.history(this.#options.sessionId);
      } catch {
        await delay(RETRY_MS); // the server restarts
      }
    }
    return [];
  }

  #fetch: typeof fetch = async (input, init) => {
    const { recording } = this.#options;
    const number = ++this.#connections;
    recording.note({ k: "ask", c: number, method: init?.method ?? "GET", startIndex: 0 });
    const response = await this.#network.fetch(input, init);
    const { status, headers } = response;
    recording.note({ k: "head", c: number, status, turnId: headers.get("x-workflow-run-id") ?? "" });
    return new Response(response.body && record(response.body, recording, number), { status, headers });
  };
}

/** Whether the last stream that it read came to its end, or there was none left to read. */
function isWhole({ exchanges }: ChatClient): boolean {
  const last = exchanges.at(-1);
  return last?.status === 204 || last?.frames.at(-1) === "[DONE]";
}

function record(body: ReadableStream<Uint8Array>, recording: Recording, number: number): ReadableStream<Uint8Array> {
  const taking = new TransformStream<Uint8Array, Uint8Array>({
    transform(bytes, controller) {
      recording.note({ k: "bytes", c: number, text: Buffer.from(bytes).toString("latin1") });
      controller.enqueue(bytes);
    },
    flush: () => recording.note({ k: "end", c: number }),
  });
  return body.pipeThrough(taking);
}
