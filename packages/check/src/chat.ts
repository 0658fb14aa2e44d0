import { randomUUID } from "node:crypto";
import type { Endpoint, Watch } from "./endpoint.ts";
import type { Recording } from "./recording.ts";
import { messageIdOf, readStream, textOf } from "./stream-view.ts";
import { shown } from "./verdict.ts";

type Message = { readonly id: string; readonly role: "user" | "assistant"; readonly text: string };

/** A conversation as `useChat` holds it: every message is posted with all that came before, broken answers too. */
export class Chat {
  readonly id = `check-${newId()}`;
  readonly #endpoint: Endpoint;
  readonly #messages: Message[] = [];

  constructor(endpoint: Endpoint) {
    this.#endpoint = endpoint;
  }

  async send(prompt: string, watch?: Watch): Promise<Recording> {
    this.#messages.push({ id: `msg-${newId()}`, role: "user", text: prompt });
    const body = chatBody(this.id, this.#messages);
    return this.#keepAnswer(await this.#endpoint.post(promptName(prompt), body, watch));
  }

  /** The very same request, twice at once. */
  sendTwice(prompt: string): Promise<Recording[]> {
    const body = chatBody(this.id, [{ id: `msg-${newId()}`, role: "user", text: prompt }]);
    return Promise.all([1, 2].map(() => this.#endpoint.post(promptName(prompt), body)));
  }

  #keepAnswer(recording: Recording): Recording {
    const { chunks } = readStream(recording);
    const text = textOf(chunks);
    if (text !== "") this.#messages.push({ id: messageIdOf(chunks) ?? `msg-${newId()}`, role: "assistant", text });
    return recording;
  }
}

/** One message in a chat of its own. */
export function ask(endpoint: Endpoint, prompt: string): Promise<Recording> {
  return new Chat(endpoint).send(prompt);
}

/** A request that no endpoint can answer. */
export function unanswerable(prompt: string | undefined): string {
  const messages: Message[] = prompt === undefined ? [] : [{ id: `msg-${newId()}`, role: "user", text: prompt }];
  return chatBody(`check-${newId()}`, messages);
}

export function newId(): string {
  return randomUUID().slice(0, 13);
}

function chatBody(chatId: string, messages: readonly Message[]): string {
  const full = messages.map(({ id, role, text }) => ({ id, role, parts: [{ type: "text", text }] }));
  return JSON.stringify({ id: chatId, messages: full, trigger: "submit-message" });
}

function promptName(prompt: string): string {
  return `"${shown(prompt)}"`;
}
