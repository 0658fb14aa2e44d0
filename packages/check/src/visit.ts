import { randomUUID } from "node:crypto";
import { checkAnswers } from "./checks/answer.ts";
import { checkEnd } from "./checks/end.ts";
import { checkFraming } from "./checks/framing.ts";
import { checkHeaders } from "./checks/headers.ts";
import type { Endpoint, Watch } from "./endpoint.ts";
import type { Profile } from "./profile.ts";
import type { Recording } from "./recording.ts";
import { readStream, type StreamView } from "./stream-view.ts";
import { shown } from "./verdict.ts";

export type Message = { readonly id: string; readonly role: "user" | "assistant"; readonly text: string };

/** The endpoint during one run of the check, and what is already known of it. */
export class Visit {
  readonly endpoint: Endpoint;
  readonly profile: Profile;
  readonly #first: Recording;
  #views: Promise<readonly StreamView[]> | undefined;
  #failing: Promise<Recording> | undefined;

  constructor(endpoint: Endpoint, profile: Profile, first: Recording) {
    this.endpoint = endpoint;
    this.profile = profile;
    this.#first = first;
  }

  /** Every ordinary turn, and the failing one, asked for once. */
  views(): Promise<readonly StreamView[]> {
    this.#views ??= this.#recordViews();
    return this.#views;
  }

  /** The turn that ends in an error, where there is a way to bring it about. */
  failing(prompt: string): Promise<Recording> {
    this.#failing ??= ask(this.endpoint, prompt);
    return this.#failing;
  }

  /** The check because of which nothing else can be learned from further turns. */
  obstacle(): string | undefined {
    const views = [readStream(this.#first)];
    const verdicts = { ...checkAnswers(views), ...checkHeaders(views), ...checkFraming(views), ...checkEnd(views) };
    const failures = Object.entries(verdicts).filter(([, verdict]) => verdict.status === "failed");
    return failures.map(([id]) => id).find((id) => !id.startsWith("headers.") || id === "headers.content-type");
  }

  async #recordViews(): Promise<readonly StreamView[]> {
    const recordings = [this.#first];
    if (this.obstacle() === undefined) {
      for (const prompt of this.profile.samples) recordings.push(await ask(this.endpoint, prompt));
      if (this.profile.failing !== undefined) recordings.push(await this.failing(this.profile.failing));
    }
    return recordings.map(readStream);
  }
}

export function newId(): string {
  return randomUUID().slice(0, 13);
}

export function userMessage(text: string): Message {
  return { id: `msg-${newId()}`, role: "user", text };
}

/** The body that `useChat` posts. */
export function chatBody(chatId: string, messages: readonly Message[]): string {
  const full = messages.map(({ id, role, text }) => ({ id, role, parts: [{ type: "text", text }] }));
  return JSON.stringify({ id: chatId, messages: full, trigger: "submit-message" });
}

/** One message in a chat of its own. */
export function ask(endpoint: Endpoint, prompt: string, watch?: Watch): Promise<Recording> {
  return endpoint.post(promptName(prompt), chatBody(newChatId(), [userMessage(prompt)]), watch);
}

export function newChatId(): string {
  return `check-${newId()}`;
}

export function promptName(prompt: string): string {
  return `"${shown(prompt)}"`;
}
