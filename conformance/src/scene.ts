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

/** What a test may choose about a client: a query for its URL, and whose it is. */
type SceneOptions = Partial<ClientOptions> & { query?: string; as?: Api };

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

  /** `wish` is what the session should be, where it is not one of the demo agent. */
  static async open(product: { url: string; data: string }, user = "alice", wish: object = {}): Promise<Scene> {
    const api = await Api.of(product, user);
    const scene = new Scene(api, await api.createSession(wish), product.data);
    await scene.reader.connect();
    return scene;
  }

  get url(): string {
    return `${this.api.url}/api/sessions/${this.sessionId}/chat`;
  }

  client(version: ClientVersion, options: SceneOptions = {}): ChatClient {
    const { query = "", as = this.api, headers, ...rest } = options;
    return createClient(version, {
      api: this.url + query,
      chatId: this.sessionId,
      headers: { ...as.headers, ...headers },
      ...rest,
    });
  }

  /** A client as after a reload: it begins with what the server has stored. */
  async reloaded(version: ClientVersion, options: SceneOptions = {}): Promise<ChatClient> {
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

  /** How the turns ended, in their order, when so many have. */
  async endings(count = 1): Promise<unknown[]> {
    await this.reader.untilTurnEnd(count);
    return this.logged("message.finalize").map(({ reason }) => reason);
  }

  get running(): boolean {
    return this.logged("message.create").length > this.logged("message.finalize").length;
  }

  /** Until the agent has gone on for so long after a moment. */
  async goesOnUntil(time: number): Promise<void> {
    await this.reader.until(({ events }) => (events.at(-1)?.ts ?? 0) > time);
  }

  async abort(): Promise<void> {
    const response = await this.api.request("POST", `/api/sessions/${this.sessionId}/abort`, {});
    if (response.status !== 202) throw new Error(`${response.status}: ${await response.text()}`);
  }

  /** Answers what is asked as the n-th question. */
  async answer(answer: unknown, count = 1): Promise<void> {
    const status = await this.api.answer(this.sessionId, await this.question(count), answer);
    if (status !== 200) throw new Error(`The answer got ${status}.`);
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
  expect(client.exchanges.length - exchanges).toBeLessThanOrEqual(1);
  expect(client.messages).toHaveLength(count + 2);
  expect(reply(client)).toContain('You said: "And now?"');
  await expectSound(client);
}

/**
 * The client has what the server has: the same messages, parts and texts, in a form that its release takes. Native
 * approvals cut a step in two, and
 * call a refusal by another name than the history, which all releases must be able to read.
 */
export async function expectHistory(scene: Scene, client: ChatClient, approvals?: "native"): Promise<void> {
  const history = await scene.history();
  await createClient(client.version, { api: "", chatId: "", messages: history }).validateHistory();
  const [ours, theirs] = [client.messages, history].map(essence);
  if (approvals === "native") expect(ours?.map(withoutApprovals)).toEqual(theirs?.map(withoutApprovals));
  else expect(ours).toEqual(theirs);
}

/** The text of the answer that comes in; empty until there is one. */
export function reply({ messages }: ChatClient): string {
  const last = messages.at(-1);
  return last?.role === "assistant" ? textOf(last) : "";
}

export function words(count: number): string {
  return Array.from({ length: count }, (_, index) => `t${index} `).join("");
}

type Essence = Pick<ClientMessage, "id" | "role" | "parts">;

function essence(messages: readonly ClientMessage[]): Essence[] {
  return messages.map(({ id, role, parts }) => ({
    id,
    role,
    // A client shows an empty last step or does not, as it happens.
    parts: parts.slice(0, parts.findLastIndex(({ type }) => type !== "step-start") + 1).map((part) => ({
      type: part.type,
      ...(part.text === undefined ? {} : { text: part.text }),
      ...(part.toolCallId === undefined ? {} : { toolCallId: part.toolCallId }),
      // What a person wrote has no state, or `done`, as the release likes it.
      ...(part.state === undefined || role === "user" ? {} : { state: part.state }),
    })),
  }));
}

function withoutApprovals({ parts, ...message }: Essence): Essence {
  const same = parts.map((part) => (part.state === "output-denied" ? { ...part, state: "output-error" } : part));
  return { ...message, parts: same.filter(({ type }) => type !== "step-start") };
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

/** A stream that the client left in the middle has no end; some go on where the one before was. */
function streamProblems(exchanges: readonly Exchange[]): object[] {
  let before: StreamChunk[] = [];
  return exchanges.flatMap(({ method, frames, body }) => {
    const cut = frames.at(-1) !== "[DONE]";
    const chunks: StreamChunk[] = frames.filter((frame) => frame !== "[DONE]").map((frame) => JSON.parse(frame));
    const goesOn = method === "GET" ? chunks[0]?.type !== "start" : bringsAnswer(body);
    if (!goesOn) before = [];
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
