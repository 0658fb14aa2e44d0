import { checkStream, type StreamChunk } from "@agent-ops/ai-sdk/stream-checker";
import type { LogEvent } from "@agent-ops/shared/events";
import { expect } from "vitest";
import { Api } from "./api.ts";
import {
  type ChatClient,
  type ClientOptions,
  type ClientVersion,
  createClient,
  textOf,
} from "./clients/create-client.ts";
import type { Exchange } from "./clients/recording-fetch.ts";
import type { ClientMessage } from "./clients/sdk.ts";
import { storedLog } from "./stored-log.ts";
import { V2Reader } from "./v2-reader.ts";

export const VERSIONS: ClientVersion[] = ["5", "5-strict", "6", "7"];

type Event<T extends string> = Extract<LogEvent, { type: T }>;

/** One session of a running product, with a V2 reader that sees all of it, and the clients a test opens. */
export class Scene {
  readonly api: Api;
  readonly sessionId: string;
  readonly reader: V2Reader;
  #data: string;

  private constructor(api: Api, sessionId: string, data: string) {
    this.api = api;
    this.sessionId = sessionId;
    this.reader = new V2Reader(api, sessionId);
    this.#data = data;
  }

  static async open(product: { url: string; data: string }, user = "alice"): Promise<Scene> {
    const api = await Api.of(product, user);
    const scene = new Scene(api, await api.createSession(), product.data);
    await scene.reader.connect();
    return scene;
  }

  get url(): string {
    return `${this.api.url}/api/sessions/${this.sessionId}/chat`;
  }

  client(version: ClientVersion, options: Partial<ClientOptions> & { query?: string; as?: Api } = {}): ChatClient {
    const { query = "", as = this.api, headers, ...rest } = options;
    return createClient(version, {
      api: this.url + query,
      chatId: this.sessionId,
      headers: { ...as.headers, ...headers },
      ...rest,
    });
  }

  /** A client as after a reload: it begins with what the server has stored. */
  async reloaded(version: ClientVersion, options: Partial<ClientOptions> = {}): Promise<ChatClient> {
    return this.client(version, { ...options, messages: await this.history() });
  }

  history(): Promise<ClientMessage[]> {
    return this.api.history(this.sessionId);
  }

  /** The log as it lies on disk. */
  log(): LogEvent[] {
    return storedLog(this.#data, this.sessionId);
  }

  logged<T extends LogEvent["type"]>(type: T): Event<T>[] {
    return this.reader.events.filter((event): event is Event<T> => event.type === type);
  }

  /** How the turns ended, in their order. */
  endings(): unknown[] {
    return this.reader.events.flatMap((event) => (event.type === "message.finalize" ? [event.reason] : []));
  }

  /** The id of the question that is asked next, or was asked as the n-th. */
  async question(count = 1): Promise<string> {
    const ids = () =>
      this.reader.events.flatMap((event) => (event.type === "question" ? [String(event.questionId)] : []));
    await this.reader.until(() => ids().length >= count);
    return ids()[count - 1] ?? "";
  }
}

/** What must hold of a client whatever happened to it: it rests, and all that it got and has is sound. */
export async function expectSound(client: ChatClient): Promise<void> {
  await client.waitUntilReady();
  expect(["ready", "error"]).toContain(client.status);
  expect(await client.frameProblems()).toEqual([]);
  expect(streamProblems(client.exchanges)).toEqual([]);
  expectNoDuplicates(client.messages);
  await client.validateHistory();
}

/** Sound, and able to go on: the next message gets its answer. */
export async function expectUsable(client: ChatClient): Promise<void> {
  await expectSound(client);
  const count = client.messages.length;
  const exchanges = client.exchanges.length;
  await client.send("And now?");
  await client.waitUntilReady();
  expect([client.status, client.error]).toEqual(["ready", undefined]);
  expect(client.exchanges).toHaveLength(exchanges + 1);
  expect(client.messages).toHaveLength(count + 2);
  expect(textOf(client.messages.at(-1))).toContain('You said: "And now?"');
  await expectSound(client);
}

/** The client has what the server has: the same messages, parts and texts. */
export async function expectHistory(scene: Scene, client: ChatClient): Promise<void> {
  expect(essence(client.messages)).toEqual(essence(await scene.history()));
}

export function words(count: number): string {
  return Array.from({ length: count }, (_, index) => `t${index} `).join("");
}

function essence(messages: readonly ClientMessage[]): unknown[] {
  return messages.map(({ id, role, parts }) => ({
    id,
    role,
    parts: parts.map(({ type, state, text, toolCallId }) => ({
      type,
      text,
      toolCallId,
      // What a person wrote has no state, or `done`, as the release likes it.
      state: role === "user" ? undefined : state,
    })),
  }));
}

function expectNoDuplicates(messages: readonly ClientMessage[]): void {
  expect(duplicates(messages.map(({ id }) => id))).toEqual([]);
  for (const { parts } of messages) {
    const named = parts.flatMap(({ type, toolCallId, id }) => {
      const name = toolCallId ?? (type.startsWith("data-") ? id : undefined);
      return name === undefined ? [] : [`${type} ${name}`];
    });
    expect(duplicates(named)).toEqual([]);
    const texts = parts.flatMap(({ type, text }) => (type === "text" && text ? [text] : []));
    expect(duplicates(texts)).toEqual([]);
  }
}

function duplicates(names: readonly string[]): string[] {
  return names.filter((name, index) => names.indexOf(name) !== index);
}

/** A stream that the client left in the middle has no end; one that brings an answer goes on where the last one was. */
function streamProblems(exchanges: readonly Exchange[]): object[] {
  let before: StreamChunk[] = [];
  return exchanges.flatMap(({ frames, body }) => {
    const cut = frames.at(-1) !== "[DONE]";
    const chunks: StreamChunk[] = frames.filter((frame) => frame !== "[DONE]").map((frame) => JSON.parse(frame));
    if (!bringsAnswer(body)) before = [];
    const problems = checkStream(chunks, before).filter(({ code }) => !(cut && code === "no-end"));
    before = [...before, ...chunks];
    return problems;
  });
}

function bringsAnswer(body: string | undefined): boolean {
  if (body === undefined) return false;
  const posted: { messages: { role: string }[] } = JSON.parse(body);
  return posted.messages.at(-1)?.role === "assistant";
}
