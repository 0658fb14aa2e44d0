import type { Answer } from "@agent-ops/shared/questions";
import {
  type AgentClient,
  type AgentContext,
  type AgentEvent,
  type AgentFactory,
  type AgentPrompt,
  TurnError,
} from "../agent-client.ts";
import { Channel } from "../channel.ts";
import { describeError } from "../log.ts";
import { requireProgram } from "./catalogue.ts";
import { calledCommand } from "./opencode/api.ts";
import type { Reply } from "./opencode/questions.ts";
import { OpenCodeServer } from "./opencode/server.ts";
import { newTitle, type OpenCodeConversation, OpenCodeTurn } from "./opencode-to-v2.ts";
import { commandsEvent } from "./told-commands.ts";
import { UnknownEvents } from "./unknown-events.ts";

const QUEUED_EVENTS = 1_024;
/** What the runner's own tools are called there. */
const TOOLS = "agent-ops";
/** What should have come by now does not come any more. */
const QUIET_MS = 1_000;
/** A server that does not follow an abort within this time is ended. */
const ABORT_MS = 1_500;

type Item = { kind: "event"; raw: unknown } | { kind: "quiet" };
type Running = { turn: OpenCodeTurn; items: Channel<Item> };

/** OpenCode behind its own server, one for each workspace, started when it is first needed. */
export const createOpenCodeAgent: AgentFactory = (context) => new OpenCodeAgent(context);

class OpenCodeAgent implements AgentClient {
  #context: AgentContext;
  #starting: Promise<OpenCodeServer> | undefined;
  #server: OpenCodeServer | undefined;
  #conversation: OpenCodeConversation | undefined;
  #running: Running | undefined;
  #unknown: UnknownEvents;
  #toldModels = false;
  #commands: readonly { name: string }[] = [];
  #defaultModel: string | undefined;
  #hasChosen = false;
  /** What it was told to forget, and did. */
  #forgotten = "[]";
  #disposed = false;

  constructor(context: AgentContext) {
    this.#context = context;
    this.#unknown = new UnknownEvents("opencode", context.log);
  }

  async session(): Promise<string> {
    return (await this.#converse(await this.#alive())).sessionId;
  }

  async *prompt(input: AgentPrompt, signal: AbortSignal): AsyncGenerator<AgentEvent> {
    const server = await this.#alive();
    const conversation = await this.#converse(server);
    yield* this.#tellOffer(server);
    await this.#forget(server, conversation, { ...input, signal });
    if (signal.aborted) return;
    const turn = new OpenCodeTurn(conversation, (name) => this.#unknown.count(name));
    const items = new Channel<Item>(QUEUED_EVENTS);
    this.#running = { turn, items };
    let killing: NodeJS.Timeout | undefined;
    const abort = () => {
      killing = setTimeout(() => server.kill(), ABORT_MS);
      this.#inBackground(this.#abort(server, conversation, turn));
    };
    try {
      await this.#ask(server, conversation, { ...input, model: this.#modelFor(input) });
      if (signal.aborted) abort();
      else signal.addEventListener("abort", abort, { once: true });
      yield* events(turn, items);
    } finally {
      signal.removeEventListener("abort", abort);
      clearTimeout(killing);
      this.#running = undefined;
    }
  }

  /** TURN9: what was replaced. A server that does not forget it works all the same, and is asked again. */
  async #forget(
    { api }: OpenCodeServer,
    { sessionId }: OpenCodeConversation,
    { history, signal }: Pick<AgentPrompt, "history"> & { signal: AbortSignal },
  ): Promise<void> {
    const removed = JSON.stringify(history?.removed ?? []);
    if (!history || removed === this.#forgotten) return;
    try {
      await api.forget(sessionId, history.removed, signal);
      if (!signal.aborted) this.#forgotten = removed;
    } catch (error) {
      this.#context.log?.error("opencode.forget_failed", { cause: describeError(error) });
    }
  }

  /** A command's call is answered when the turn is over; where it is refused, there is no turn. */
  async #ask({ api }: OpenCodeServer, { sessionId }: OpenCodeConversation, input: AgentPrompt): Promise<void> {
    const command = calledCommand(input.text, this.#commands);
    if (!command) return api.prompt(sessionId, input);
    const items = this.#running?.items;
    this.#inBackground(
      api.command(sessionId, command, input.model).catch((error: unknown) => {
        if (!(error instanceof TurnError)) throw error;
        items?.end({ error });
      }),
    );
  }

  answer(questionId: string, answer: Answer): void {
    const reply = this.#running?.turn.reply(questionId, answer);
    if (reply) this.#inBackground(this.#send(reply));
  }

  async dispose(): Promise<void> {
    this.#disposed = true;
    const server = await this.#starting?.catch(() => undefined);
    await server?.stop();
  }

  /** The server, started anew where it has ended. */
  #alive(): Promise<OpenCodeServer> {
    if (!this.#starting || this.#server?.isAlive === false) this.#starting = this.#start();
    return this.#starting;
  }

  async #start(): Promise<OpenCodeServer> {
    const { environment, log } = this.#context;
    this.#server = undefined;
    this.#toldModels = false;
    try {
      const server = await OpenCodeServer.start({
        program: requireProgram("opencode"),
        place: this.#context,
        environment,
      });
      this.#server = server;
      log?.info("opencode.started");
      await this.#listen(server);
      await this.#offerTools(server);
      if (this.#disposed) await server.stop();
      return server;
    } catch (error) {
      this.#starting = undefined;
      throw error;
    }
  }

  /** It works without them too. */
  async #offerTools({ api }: OpenCodeServer): Promise<void> {
    const { toolServer, log } = this.#context;
    try {
      const tools = await toolServer?.();
      if (tools) await api.addTools(TOOLS, tools);
    } catch (error) {
      log?.error("opencode.tools_failed", { cause: describeError(error) });
    }
  }

  /** Passes on what the server says for as long as it lives; ready when it listens. */
  #listen(server: OpenCodeServer): Promise<void> {
    return new Promise((resolve, reject) => {
      const pump = async () => {
        for await (const raw of server.api.events(resolve)) await this.#onEvent(raw);
      };
      // A server whose events are lost cannot be worked with.
      const over = async (error?: unknown) => {
        server.kill();
        const how = await server.exited;
        this.#context.log?.info("opencode.ended", { how });
        this.#running?.items.end({ error: new TurnError(`OpenCode's process ended unexpectedly (${how}).`) });
        reject(error ?? new TurnError(`OpenCode's process ended unexpectedly (${how}).`));
      };
      pump().then(() => over(), over);
    });
  }

  async #onEvent(raw: unknown): Promise<void> {
    const news = this.#conversation && newTitle(this.#conversation, raw);
    if (news) this.#context.tell?.(news);
    await this.#running?.items.push({ kind: "event", raw });
  }

  /** The conversation to go on with, or a new one. */
  async #converse({ api }: OpenCodeServer): Promise<OpenCodeConversation> {
    if (this.#conversation) return this.#conversation;
    const { agentSessionId } = this.#context;
    const found = agentSessionId === undefined ? undefined : await api.findSession(agentSessionId);
    const sessionId = agentSessionId !== undefined && found ? agentSessionId : await api.createSession();
    this.#conversation = { sessionId, lastPrompt: "", title: found?.title ?? "" };
    return this.#conversation;
  }

  async *#tellOffer({ api }: OpenCodeServer): AsyncGenerator<AgentEvent> {
    if (this.#toldModels) return;
    this.#toldModels = true;
    const current = await api.defaultModel();
    this.#defaultModel = current;
    yield { type: "models", models: await api.models(), ...(current ? { current } : {}) };
    const told = commandsEvent(await api.commands());
    this.#commands = told.commands;
    yield told;
  }

  /** It would stay with a model that was chosen for one prompt. */
  #modelFor({ model }: AgentPrompt): string | undefined {
    if (model !== undefined) this.#hasChosen = true;
    return model ?? (this.#hasChosen ? this.#defaultModel : undefined);
  }

  /** It keeps asking for what it asked before the abort, so that is taken back too. */
  async #abort({ api }: OpenCodeServer, { sessionId }: OpenCodeConversation, turn: OpenCodeTurn): Promise<void> {
    const open = turn.rejections();
    await api.abort(sessionId);
    for (const reply of open) await api.reply(reply);
  }

  async #send(reply: Reply): Promise<void> {
    await this.#server?.api.reply(reply);
  }

  /** A call that fails because the server died is told by its death. */
  #inBackground(work: Promise<void>): void {
    work.catch((error: unknown) => {
      if (!this.#disposed) this.#context.log?.error("opencode.call_failed", { cause: describeError(error) });
    });
  }
}

/** One turn's events, as they come, to their end. */
async function* events(turn: OpenCodeTurn, items: Channel<Item>): AsyncGenerator<AgentEvent> {
  let timer: NodeJS.Timeout | undefined;
  try {
    for await (const item of items) {
      clearTimeout(timer);
      yield* item.kind === "quiet" ? turn.quiet() : turn.take(item.raw);
      if (turn.ended) return;
      if (turn.isExpectant) timer = setTimeout(() => void items.push({ kind: "quiet" }), QUIET_MS);
    }
  } finally {
    clearTimeout(timer);
  }
}
