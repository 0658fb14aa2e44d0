import { type IncomingMessage, request } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import type { Api } from "../../api.ts";
import type { Recording } from "../recording.ts";
import { isCounted, SseFrames } from "./sse-frames.ts";

const RETRY_MS = 60;

type Exchange = { status: number; turnId: string; whole: boolean };
type Asked = { method: "GET" | "POST"; path: string; body?: string; turnId?: string };

/** A reader of SSE streams over bare HTTP that goes on by the number of chunks it has, and writes down each byte. */
export class SseClient {
  #api: Api;
  #chat: string;
  #recording: Recording;
  #connections = 0;
  #counts = new Map<string, number>();
  #open = new Set<IncomingMessage>();
  #stalled: Promise<unknown> = Promise.resolve();
  #stopped = false;

  constructor(api: Api, sessionId: string, recording: Recording) {
    this.#api = api;
    this.#chat = `/api/sessions/${sessionId}/chat`;
    this.#recording = recording;
  }

  /** Sends a prompt until it is taken; its turn. The stream is read to its end meanwhile, see `follow`. */
  async ask(prompt: { id: string; text: string }, copies: number): Promise<string> {
    const message = { id: prompt.id, role: "user", parts: [{ type: "text", text: prompt.text }] };
    const body = JSON.stringify({ id: "chat", messages: [message], onDisconnect: "detach" });
    while (!this.#stopped) {
      const taken = Promise.withResolvers<string>();
      const posts = Array.from({ length: copies }, () => this.#post(body, taken.resolve));
      const turnId = await Promise.race([taken.promise, Promise.all(posts).then(() => undefined)]);
      if (turnId !== undefined) return turnId;
      await delay(RETRY_MS);
    }
    throw new Error("The client was stopped before its prompt was taken.");
  }

  /** Reads a turn from where this client is to the end of its stream. */
  async follow(turnId: string): Promise<void> {
    while (!this.#stopped) {
      const path = `${this.#chat}/${turnId}/stream?startIndex=${this.#counts.get(turnId) ?? 0}`;
      const { status, whole } = await this.#exchange({ method: "GET", path, turnId }).catch(failed);
      if (status === 204 || whole) return;
      if (status >= 400 && status < 500) throw new Error(`${path} was refused with ${status}.`);
      await delay(RETRY_MS);
    }
  }

  cut(): void {
    for (const response of this.#open) response.destroy();
  }

  /** Reads nothing for a while. */
  stall(ms: number): void {
    this.#stalled = delay(ms);
  }

  stop(): void {
    this.#stopped = true;
    this.cut();
  }

  /** Each POST counts for itself: two with one id bring the same turn, each from its start. */
  async #post(body: string, taken: (turnId: string) => void): Promise<void> {
    const onHead = ({ status, turnId }: Exchange) => status === 200 && taken(turnId);
    const { status } = await this.#exchange({ method: "POST", path: this.#chat, body }, onHead).catch(failed);
    if (status >= 400 && status < 500) throw new Error(`A prompt was refused with ${status}.`);
  }

  async #exchange(asked: Asked, onHead: (exchange: Exchange) => void = () => undefined): Promise<Exchange> {
    const number = ++this.#connections;
    const startIndex = this.#counts.get(asked.turnId ?? "") ?? 0;
    this.#recording.note({ k: "ask", c: number, method: asked.method, startIndex });
    const response = await this.#send(asked);
    const status = response.statusCode ?? 0;
    const exchange = { status, turnId: String(response.headers["x-workflow-run-id"] ?? ""), whole: false };
    this.#recording.note({ k: "head", c: number, status, turnId: exchange.turnId });
    onHead(exchange);
    this.#open.add(response);
    try {
      for await (const payload of this.#payloads(response, number)) {
        if (payload === "[DONE]") exchange.whole = true;
        else if (asked.turnId !== undefined && isCounted(payload)) this.#count(asked.turnId);
      }
    } catch {
      // A connection that broke has brought what it has brought.
    }
    this.#open.delete(response);
    this.#recording.note({ k: "end", c: number });
    return exchange;
  }

  async *#payloads(response: IncomingMessage, number: number): AsyncGenerator<string> {
    const frames = new SseFrames();
    for await (const bytes of response) {
      this.#recording.note({ k: "bytes", c: number, text: bytes.toString("latin1") });
      yield* frames.feed(bytes);
      await this.#stalled;
    }
  }

  #count(turnId: string): void {
    this.#counts.set(turnId, (this.#counts.get(turnId) ?? 0) + 1);
  }

  #send({ method, path, body }: Asked): Promise<IncomingMessage> {
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
    const sent = request(this.#api.url + path, { method, headers: this.#api.headers, agent: false });
    sent.once("response", resolve).once("error", reject);
    sent.end(body);
    return promise;
  }
}

/** Nobody answered: the server restarts. */
function failed(): Exchange {
  return { status: 0, turnId: "", whole: false };
}
