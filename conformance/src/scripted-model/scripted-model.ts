import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { setTimeout as after } from "node:timers/promises";
import { anthropic } from "./anthropic.ts";
import { type Conversation, positionIn } from "./conversation.ts";
import type { Dialect, Frame } from "./dialect.ts";
import { gemini } from "./gemini.ts";
import { openAiChat } from "./openai-chat.ts";
import { type Reply, replyOf } from "./reply.ts";
import type { ScriptStep } from "./script.ts";

const DIALECTS: readonly Dialect[] = [openAiChat, gemini, anthropic];
export const SCRIPTED_MODEL = "scripted-model";

/** A request that the model got, for tests to read. */
export interface ModelRequest {
  dialect: string;
  path: string;
  headers: IncomingMessage["headers"];
  conversation: Conversation;
  body: unknown;
  /** What the script made of it. */
  step: ScriptStep;
  /** Whether the client heard it to its end, or left before. */
  outcome: "open" | "finished" | "left";
}

/** A model on loopback that does what the prompt's script says, in the dialects that agents speak. */
export class ScriptedModel {
  readonly requests: ModelRequest[] = [];
  /** Where it is, without any path. */
  readonly origin: string;
  #server: Server;
  #served = new Map<string, number>();

  private constructor(server: Server, origin: string) {
    this.#server = server;
    this.origin = origin;
    server.on("request", (request, response) => void this.#take(request, response));
  }

  static async start(): Promise<ScriptedModel> {
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    const address = server.address();
    if (address === null || typeof address === "string") throw new Error("No port.");
    return new ScriptedModel(server, `http://127.0.0.1:${address.port}`);
  }

  /** The base URL that OpenAI-compatible clients want. */
  get openAiUrl(): string {
    return `${this.origin}/v1`;
  }

  /** Requests that came from the turn whose prompt has these words. */
  requestsWith(words: string): ModelRequest[] {
    return this.requests.filter(
      ({ body, conversation }) => conversation.hasTools && JSON.stringify(body).includes(words),
    );
  }

  async close(): Promise<void> {
    this.#server.close();
    this.#server.closeAllConnections();
    await once(this.#server, "close");
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = new URL(request.url ?? "/", this.origin).pathname;
    const dialect = DIALECTS.find(({ takes }) => takes(path));
    if (request.method !== "POST" || !dialect) return sendJson(response, ...plainAnswer(path));
    const body: unknown = JSON.parse(await text(request));
    const conversation = dialect.read(body, path);
    const { script, at } = positionIn(conversation);
    const step = this.#stepFor(script, at);
    const logged: ModelRequest = {
      dialect: dialect.name,
      path,
      headers: request.headers,
      conversation,
      body,
      step,
      outcome: "open",
    };
    this.requests.push(logged);
    response.once("close", () => {
      logged.outcome = response.writableFinished ? "finished" : "left";
    });
    await answer(response, { dialect, conversation, step, reply: replyOf(step, `m${this.requests.length}`) });
  }

  /** A step that is to happen so many times only is over after that; beyond its last step a script says that it is. */
  #stepFor(script: ScriptStep[], at: number): ScriptStep {
    let passed = 0;
    for (let index = 0; index < script.length; index += 1) {
      const step = script[index] ?? {};
      if (step.times !== undefined) {
        const key = `${JSON.stringify(script)} ${index}`;
        const served = this.#served.get(key) ?? 0;
        if (served < step.times && passed === at) {
          this.#served.set(key, served + 1);
          return step;
        }
        continue;
      }
      if (passed === at) return step;
      passed += 1;
    }
    return { text: "The script is over." };
  }
}

interface Answer {
  dialect: Dialect;
  conversation: Conversation;
  step: ScriptStep;
  reply: Reply;
}

async function answer(response: ServerResponse, { dialect, conversation, step, reply }: Answer): Promise<void> {
  if (step.delay) await after(step.delay);
  if (step.status !== undefined) {
    const body = step.body ?? dialect.error(step.status, `The script says ${step.status}.`);
    return sendJson(response, step.status, body, step.headers);
  }
  if (!conversation.streams) return sendJson(response, 200, dialect.whole(reply, SCRIPTED_MODEL), step.headers);
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache", ...step.headers });
  const { open, pieces, close } = dialect.stream(reply, SCRIPTED_MODEL);
  send(response, open);
  for (const frames of pieces) {
    send(response, frames);
    if (step.pace) await after(step.pace);
    if (response.destroyed) return;
  }
  await end(response, step, close);
}

async function end(response: ServerResponse, step: ScriptStep, close: Frame[]): Promise<void> {
  if (step.cut) return void response.destroy();
  if (step.malformed) return void response.end("data: {this is not JSON\n\n");
  if (step.hang) await Promise.race([after(step.hang, undefined, { ref: false }), once(response, "close")]);
  if (response.destroyed) return;
  send(response, close);
  response.end();
}

function send(response: ServerResponse, frames: Frame[]): void {
  for (const { event, data } of frames) {
    const name = event === undefined ? "" : `event: ${event}\n`;
    response.write(`${name}data: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`);
  }
}

/** What agents ask beside conversations: which models there are, and how long a text is. */
function plainAnswer(path: string): [status: number, body: unknown] {
  if (path.endsWith("/models")) return [200, { object: "list", data: [{ id: SCRIPTED_MODEL, object: "model" }] }];
  if (path.endsWith(":countTokens")) return [200, { totalTokens: 100 }];
  if (path.endsWith("/count_tokens")) return [200, { input_tokens: 100 }];
  return [404, { error: { message: `The scripted model does not know ${path}.` } }];
}

function sendJson(response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}): void {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(JSON.stringify(body));
}
