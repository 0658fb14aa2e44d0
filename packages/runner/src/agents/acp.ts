import type { CommandsEvent } from "@agent-ops/shared/events";
import type { Answer } from "@agent-ops/shared/questions";
import { methods } from "@agentclientprotocol/sdk";
import {
  type AgentClient,
  type AgentContext,
  type AgentEvent,
  type AgentFactory,
  type AgentPrompt,
  TurnError,
} from "../agent-client.ts";
import { clientApp } from "./acp/client-app.ts";
import { FilesClient } from "./acp/files-client.ts";
import { AcpProcess } from "./acp/process.ts";
import { promptBlocks } from "./acp/prompt-blocks.ts";
import { type OpenedSession, openSession } from "./acp/session.ts";
import type { AcpSettings } from "./acp/settings.ts";
import { Terminals } from "./acp/terminals.ts";
import { AcpTurn } from "./acp/turn.ts";
import { commandsUpdate, promptResponse } from "./acp/updates.ts";
import type { AcpMemory } from "./acp-to-v2.ts";
import { variablesOf } from "./process-settings.ts";
import { commandsEvent } from "./told-commands.ts";
import { UnknownEvents } from "./unknown-events.ts";

/** An agent that does not say within this time that it has stopped is ended. */
const CANCEL_MS = 10_000;
/** An agent that has not opened a conversation within this time is ended. */
const OPEN_MS = 90_000;
const AUDITED_CHARS = 300;

/** Any agent that speaks the Agent Client Protocol on its standard streams. */
export function acpAgent(name: string, settings: AcpSettings): AgentFactory {
  return (context) => new AcpAgent(name, settings, context);
}

interface Running {
  process: AcpProcess;
  session: Promise<OpenedSession>;
  files: FilesClient;
  terminals: Terminals;
}

class AcpAgent implements AgentClient {
  #settings: AcpSettings;
  #context: AgentContext;
  #unknown: UnknownEvents;
  #sessionId: string | undefined;
  #running: Running | undefined;
  #turn: AcpTurn | undefined;
  #toldModels = false;
  /** Told with every turn, since agents tell them when they like; the session drops what it has. */
  #commands: CommandsEvent | undefined;
  /** The one that was chosen last. */
  #model: string | undefined;
  /** Until the agent has said how its last turn ended. */
  #settled: Promise<unknown> = Promise.resolve();
  #memory: AcpMemory = { costUsd: 0, isNamed: false };

  constructor(name: string, settings: AcpSettings, context: AgentContext) {
    this.#settings = settings;
    this.#context = context;
    this.#sessionId = context.agentSessionId;
    this.#unknown = new UnknownEvents(name, context.log);
  }

  async session(): Promise<string> {
    return (await this.#open()).sessionId;
  }

  async *prompt(input: AgentPrompt, signal: AbortSignal): AsyncGenerator<AgentEvent> {
    await this.#settled;
    const opened = await this.#open();
    const { sessionId, capabilities } = opened;
    const running = this.#running;
    if (!running || signal.aborted) return;
    yield* this.#tellModels(opened);
    if (this.#commands) yield this.#commands;
    await this.#choose(running.process, opened, input.model);
    const turn = new AcpTurn({
      turnId: input.turnId,
      memory: this.#memory,
      onUnknown: (kind) => this.#unknown.count(kind),
      onNews: (news) => this.#context.tell?.(news),
    });
    this.#turn = turn;
    this.#settled = this.#ask(running.process, turn, { sessionId, prompt: promptBlocks(input, capabilities) });
    const cancel = () => this.#cancel(running.process, turn, sessionId);
    signal.addEventListener("abort", cancel, { once: true });
    try {
      yield* turn.events();
    } finally {
      signal.removeEventListener("abort", cancel);
    }
  }

  *#tellModels({ models }: OpenedSession): Generator<AgentEvent> {
    if (!models || this.#toldModels) return;
    this.#toldModels = true;
    yield { type: "models", models: models.models };
  }

  async #choose(process: AcpProcess, { models, sessionId }: OpenedSession, wanted: string | undefined): Promise<void> {
    const model = wanted ?? models?.usual;
    if (!models || model === undefined || model === (this.#model ?? models.usual)) return;
    const names = models.models.map(({ id }) => id);
    if (!names.includes(model)) {
      throw new TurnError(`This agent has no model "${model}". It has: ${names.join(", ")}.`);
    }
    const { method, params } = models.choose(sessionId, model);
    await process.ask((agent) => agent.request(method, params));
    this.#model = model;
  }

  answer(questionId: string, answer: Answer): void {
    this.#turn?.answer(questionId, answer);
  }

  async dispose(): Promise<void> {
    const running = this.#running;
    this.#running = undefined;
    running?.terminals.dispose();
    await Promise.all([running?.process.stop(), running?.files.dispose()]);
  }

  async #ask(
    process: AcpProcess,
    turn: AcpTurn,
    request: { sessionId: string; prompt: ReturnType<typeof promptBlocks> },
  ) {
    try {
      const response = await process.ask((agent) => agent.request(methods.agent.session.prompt, request));
      turn.finish(promptResponse.parse(response));
    } catch (error) {
      turn.fail(error instanceof Error ? error : new TurnError(String(error)));
    }
  }

  #cancel(process: AcpProcess, turn: AcpTurn, sessionId: string): void {
    const timer = setTimeout(() => process.kill(), CANCEL_MS);
    void this.#settled.finally(() => clearTimeout(timer));
    process.agent.notify(methods.agent.session.cancel, { sessionId }).catch(() => {});
    turn.cancelQuestions();
  }

  /** The agent as it runs, or started anew. */
  async #open(): Promise<OpenedSession> {
    if (!this.#running?.process.isAlive) {
      await this.dispose();
      this.#running = this.#start();
    }
    const opened = await this.#running.session;
    if (opened.sessionId !== this.#sessionId || !this.#turn) {
      const isOld = opened.past === "restored";
      this.#memory = { costUsd: isOld ? undefined : 0, isNamed: isOld };
      if (opened.past === "lost") this.#context.log?.info("agent.conversation_lost");
    }
    this.#sessionId = opened.sessionId;
    return opened;
  }

  #start(): Running {
    this.#model = undefined;
    const { workspace, environment, toolServer } = this.#context;
    const settings = this.#settings;
    const files = new FilesClient(this.#context);
    const terminals = new Terminals(this.#context);
    const app = clientApp({
      permit: async (request) => (await this.#turn?.permit(request)) ?? { outcome: "cancelled" },
      fillIn: async (prompt, schema) => (await this.#turn?.fillIn(prompt, schema)) ?? { action: "cancel" },
      onOutside: (method, path) => this.#audit(method, path),
      files: settings.files ? files : undefined,
      terminals: settings.terminals ? terminals : undefined,
    });
    const { command, args } = settings;
    const env = variablesOf(settings, environment);
    const onUpdate = ({ update }: { update: unknown }) => this.#onUpdate(update);
    const process = new AcpProcess({ app, command, args, env, place: this.#context, onUpdate });
    const earlier = this.#sessionId;
    const offered = settings.tools ? toolServer : undefined;
    const session = process.ask(async (agent) =>
      openSession(agent, { settings, workspace, earlier, toolServer: await offered?.() }),
    );
    const late = setTimeout(() => process.kill(`it did not answer within ${OPEN_MS / 1_000} s`), OPEN_MS);
    // Whoever waits for it is told; where nobody does, the next prompt is.
    session.catch(() => process.kill()).finally(() => clearTimeout(late));
    return { process, session, files, terminals };
  }

  /** What comes between turns, as a conversation that is told again, is nobody's, but for commands and the title. */
  async #onUpdate(update: unknown): Promise<void> {
    const told = commandsUpdate.safeParse(update).data?.availableCommands;
    if (!told) return this.#turn?.update(update);
    this.#commands = commandsEvent(told.map(({ input, ...command }) => ({ ...command, hint: input?.hint })));
    await this.#turn?.tell([this.#commands]);
  }

  #audit(method: string, path: string): void {
    const detail = `${method}: ${path.slice(0, AUDITED_CHARS)}`;
    this.#context.log?.info("agent.refused_outside", { method });
    void this.#turn?.tell([{ type: "audit", action: "refused-outside", detail }]);
  }
}
