import { mintToken } from "@agent-ops/cli/tokens";
import type { SessionView } from "@agent-ops/shared/sessions";
import type { ClientMessage } from "./clients/sdk.ts";
import { readSecrets } from "./secrets.ts";

/** The HTTP API as one user of a running product. */
export class Api {
  readonly url: string;
  readonly token: string;

  constructor(url: string, token: string) {
    this.url = url;
    this.token = token;
  }

  static async of(product: { url: string; data: string }, user = "alice", ttl = "1h"): Promise<Api> {
    return new Api(product.url, await mintToken(readSecrets(product.data).auth, user, { audience: "agent-ops", ttl }));
  }

  get headers(): Record<string, string> {
    return { authorization: `Bearer ${this.token}` };
  }

  request(method: string, path: string, body?: unknown): Promise<Response> {
    const text = typeof body === "string" ? body : JSON.stringify(body);
    return fetch(this.url + path, { method, headers: this.headers, ...(body === undefined ? {} : { body: text }) });
  }

  async createSession(wish: object = {}): Promise<string> {
    const response = await this.request("POST", "/api/sessions", { agent: "demo", ...wish });
    if (response.status !== 201) throw new Error(`${response.status}: ${await response.text()}`);
    const view: SessionView = JSON.parse(await response.text());
    return view.id;
  }

  /** Answers a question; the status says whether the answer was the first. */
  async answer(sessionId: string, questionId: string, answer: unknown): Promise<number> {
    return (await this.request("POST", `/api/sessions/${sessionId}/questions/${questionId}`, answer)).status;
  }

  /** The stored messages, as a client takes them to begin with. */
  async history(sessionId: string): Promise<ClientMessage[]> {
    return (await (await this.request("GET", `/api/sessions/${sessionId}/messages`)).json()).messages;
  }

  /** ACL4: lets a socket in that cannot send a header, once. */
  async ticket(sessionId: string): Promise<string> {
    return (await (await this.request("POST", `/api/sessions/${sessionId}/ticket`)).json()).ticket;
  }

  async share(sessionId: string, user: string, role: string): Promise<void> {
    const response = await this.request("PUT", `/api/sessions/${sessionId}/members/${user}`, { role });
    if (response.status !== 200) throw new Error(`${response.status}: ${await response.text()}`);
  }

  chat(sessionId: string, prompt: string, id?: string): Promise<Response> {
    const message = { ...(id ? { id } : {}), role: "user", parts: [{ type: "text", text: prompt }] };
    return this.request("POST", `/api/sessions/${sessionId}/chat`, { id: sessionId, messages: [message] });
  }
}

/** The text that an SSE body streams, from its text deltas. */
export async function streamedText(response: Response): Promise<string> {
  return sseChunks(await response.text())
    .map((chunk) => (chunk.type === "text-delta" ? String(chunk.delta) : ""))
    .join("");
}

export type SseChunk = { type: string; [key: string]: unknown };

export function sseChunks(body: string): SseChunk[] {
  return body.split("\n\n").flatMap((frame) => {
    const data = /^data: (.*)$/m.exec(frame)?.[1];
    return data === undefined || data === "[DONE]" ? [] : [JSON.parse(data)];
  });
}
