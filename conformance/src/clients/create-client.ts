import { type Exchange, recordingFetch } from "./recording-fetch.ts";
import type { ApprovalAnswer, ClientMessage, Sdk, SdkChat } from "./sdk.ts";
import { sdk5 } from "./sdk5.ts";
import { sdk5Strict } from "./sdk5-strict.ts";
import { sdk6 } from "./sdk6.ts";
import { sdk7 } from "./sdk7.ts";

const SDKS = { "5": sdk5, "5-strict": sdk5Strict, "6": sdk6, "7": sdk7 } as const satisfies Record<string, Sdk>;

/** What a test waits for may also depend on more than the client. */
const RECHECK_MS = 50;

export type ClientVersion = keyof typeof SDKS;

export type ClientOptions = {
  readonly api: string;
  readonly chatId: string;
  readonly headers?: Record<string, string>;
  /** Asks for approvals as the SDK's own requests; releases before 6 cannot read them. */
  readonly approvals?: "native";
  readonly body?: Record<string, unknown>;
  /** What the client begins with, as after a reload. */
  readonly messages?: readonly ClientMessage[];
  readonly fetch?: typeof fetch;
  /** How the chat is made, where it is not the release's usual way. */
  readonly openChat?: Sdk["openChat"];
};

/** A real client of one release, without a screen. */
export function createClient(version: ClientVersion, options: ClientOptions): ChatClient {
  return new ChatClient(version, options);
}

export class ChatClient {
  readonly version: ClientVersion;
  readonly exchanges: Exchange[] = [];
  /** What came to `onData`. */
  readonly data: { type: string; data: unknown }[] = [];
  readonly #chat: SdkChat;
  readonly #tab = new AbortController();
  #waiters = new Set<() => void>();

  constructor(version: ClientVersion, options: ClientOptions) {
    this.version = version;
    const openChat = options.openChat ?? SDKS[version].openChat;
    this.#chat = openChat({
      id: options.chatId,
      api: options.api,
      headers: { ...options.headers, ...(options.approvals ? { "x-agent-ops-approvals": options.approvals } : {}) },
      fetch: recordingFetch(this.exchanges, closable(options.fetch ?? fetch, this.#tab.signal)),
      history: JSON.stringify(options.messages ?? []),
      onChange: () => this.#changed(),
      onData: (part) => {
        this.data.push(part);
        this.#changed();
      },
      ...(options.body ? { body: options.body } : {}),
    });
  }

  get messages(): readonly ClientMessage[] {
    return this.#chat.messages;
  }

  get status(): SdkChat["status"] {
    return this.#chat.status;
  }

  get error(): Error | undefined {
    return this.#chat.error;
  }

  /** Every `data:` payload received, of all responses. */
  get frames(): string[] {
    return this.exchanges.flatMap((exchange) => exchange.frames);
  }

  send(text: string): Promise<void> {
    return this.#chat.sendMessage({ text });
  }

  /** Writes an earlier message anew. */
  edit(messageId: string, text: string): Promise<void> {
    return this.#chat.sendMessage({ text, messageId });
  }

  stop(): Promise<void> {
    return this.#chat.stop();
  }

  resume(): Promise<void> {
    return this.#chat.resumeStream();
  }

  regenerate(messageId?: string): Promise<void> {
    return this.#chat.regenerate(messageId === undefined ? {} : { messageId });
  }

  /** Takes the last message away, as a page can with `setMessages`. */
  dropLast(): void {
    this.#chat.messages = this.#chat.messages.slice(0, -1);
  }

  /** The tab is closed: its connections break, and nobody is there to see what becomes of them. */
  vanish(): void {
    this.#tab.abort();
  }

  /** Answers an approval as a person would; the client posts it by itself. */
  async answerApproval(answer: ApprovalAnswer): Promise<void> {
    if (!this.#chat.addToolApprovalResponse) throw new Error(`SDK ${this.version} has no approvals`);
    await this.#chat.addToolApprovalResponse(answer);
  }

  /** Until the client rests, `error` included. One that goes on by itself does so before the event loop turns. */
  async waitUntilReady(timeoutMs = 10_000): Promise<void> {
    await this.until(({ status }) => status === "ready" || status === "error", timeoutMs);
  }

  /** Until the client is as described, when the event loop has turned. */
  async until(condition: (client: ChatClient) => boolean, timeoutMs = 20_000): Promise<void> {
    const deadline = Date.now() + timeoutMs;
    for (;;) {
      await new Promise((resolve) => setTimeout(resolve));
      if (condition(this)) return;
      const left = deadline - Date.now();
      if (left <= 0) throw new Error(`SDK ${this.version} is ${this.status} after ${timeoutMs} ms, not as awaited`);
      await this.#change(Math.min(left, RECHECK_MS));
    }
  }

  async #change(timeoutMs: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, timeoutMs);
    this.#waiters.add(resolve);
    await promise;
    this.#waiters.delete(resolve);
    clearTimeout(timer);
  }

  #changed(): void {
    for (const resolve of this.#waiters) resolve();
  }

  /** What this release's own schema has against the frames that came. */
  async frameProblems(): Promise<string[]> {
    const payloads = this.frames.filter((frame) => frame !== "[DONE]");
    const problems = await Promise.all(payloads.map((payload) => this.#frameProblem(payload)));
    return problems.filter((problem) => problem !== undefined);
  }

  async #frameProblem(payload: string): Promise<string | undefined> {
    const verdict = await SDKS[this.version].chunkSchema().validate?.(JSON.parse(payload));
    return verdict?.success ? undefined : `${payload}: ${verdict?.error.message ?? "no schema"}`;
  }

  /** Throws where this release would not take the history back that the client would post. */
  async validateHistory(): Promise<void> {
    await SDKS[this.version].validateMessages(JSON.parse(JSON.stringify(this.messages)));
  }
}

function closable(fetcher: typeof fetch, tab: AbortSignal): typeof fetch {
  return (input, init) => fetcher(input, { ...init, signal: init?.signal ? AbortSignal.any([init.signal, tab]) : tab });
}

/** The text of a message, of all its blocks. */
export function textOf(message: ClientMessage | undefined): string {
  return (message?.parts ?? []).map((part) => (part.type === "text" ? (part.text ?? "") : "")).join("");
}

/** A message in few words: `["step-start", "text:done", "dynamic-tool:output-available"]`. */
export function partsOf(message: ClientMessage): string[] {
  return message.parts.map((part) => (part.state === undefined ? part.type : `${part.type}:${part.state}`));
}
