import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Answer } from "@agent-ops/shared/questions";
import {
  type AgentClient,
  type AgentContext,
  type AgentEvent,
  type AgentFactory,
  type AgentPrompt,
  TurnError,
} from "../agent-client.ts";
import type { AgentEnvironment } from "../agent-environment.ts";
import type { ProgramSettings, ResolvedProvider, ResolvedServer } from "./ai-sdk/program-settings.ts";
import type { AiSdkSettings, ProviderSettings } from "./ai-sdk/settings.ts";
import type { McpRules, McpServer } from "./mcp/settings.ts";
import { secretOf, variablesOf } from "./process-settings.ts";
import { ProgramProcess } from "./program/program-process.ts";

const PROGRAM = fileURLToPath(new URL("./ai-sdk-process.ts", import.meta.url));
const MEMORY = "ai-sdk-memory";
const KEY_LOST =
  "The key that came with this prompt was lost before the agent had it. Send the prompt again with its key.";
/** A conversation's name becomes a file's. */
const CONVERSATION = /^[\w-]{1,128}$/;

/** The AI SDK's own loop over a model and the tools of MCP servers, in a process of its own. */
export function aiSdkAgent(settings: AiSdkSettings, rules: McpRules): AgentFactory {
  return (context) => new AiSdkAgent(settings, rules, context);
}

class AiSdkAgent implements AgentClient {
  #settings: AiSdkSettings;
  #rules: McpRules;
  #context: AgentContext;
  #conversation: string;
  #process: ProgramProcess<ProgramSettings> | undefined;
  #toldModels = false;

  constructor(settings: AiSdkSettings, rules: McpRules, context: AgentContext) {
    this.#settings = settings;
    this.#rules = rules;
    this.#context = context;
    const { agentSessionId = "" } = context;
    this.#conversation = CONVERSATION.test(agentSessionId) ? agentSessionId : randomUUID();
  }

  async session(): Promise<string> {
    return this.#conversation;
  }

  async *prompt(input: AgentPrompt, signal: AbortSignal): AsyncGenerator<AgentEvent> {
    if (input.withKey && input.apiKey === undefined) throw new TurnError(KEY_LOST);
    yield* this.#tellModels();
    if (!this.#process?.isAlive) this.#process = await this.#start();
    yield* this.#process.turn(input, signal);
  }

  answer(questionId: string, answer: Answer): void {
    this.#process?.answer(questionId, answer);
  }

  async dispose(): Promise<void> {
    await this.#process?.kill();
  }

  *#tellModels(): Generator<AgentEvent> {
    if (this.#toldModels) return;
    this.#toldModels = true;
    const models = offersOf(this.#settings).flatMap(({ name: provider, models }) =>
      models.map((id) => ({ id, name: id, provider })),
    );
    yield { type: "models", models };
  }

  async #start(): Promise<ProgramProcess<ProgramSettings>> {
    const memory = join(this.#context.home, MEMORY, `${this.#conversation}.jsonl`);
    return new ProgramProcess({
      program: PROGRAM,
      args: [memory],
      place: this.#context,
      settings: await this.#resolved(),
    });
  }

  /** Keys are looked up here; the process is told them and nothing else of the host. */
  async #resolved(): Promise<ProgramSettings> {
    const { mcpServers, tools, instructions, temperature, maxOutputTokens, maxSteps, approvals } = this.#settings;
    const { environment, toolServer } = this.#context;
    const servers = Object.entries(mcpServers).map(([name, server]) => resolveServer(name, server, environment));
    const providers = offersOf(this.#settings).map((offer) => resolveProvider(offer, environment));
    return {
      ...{ instructions, temperature, maxOutputTokens, maxSteps, approvals },
      providers,
      servers,
      rules: this.#rules,
      ...(tools && toolServer ? { toolServer: await toolServer() } : {}),
    };
  }
}

type Offer = { name: string; settings: ProviderSettings; models: string[] };

/** What a prompt may choose from, the usual provider first. */
function offersOf({ provider, model, models, providers }: AiSdkSettings): Offer[] {
  const further = Object.entries(providers).map(([name, { provider: settings, models }]) => {
    return { name, settings, models };
  });
  return [{ name: provider.type, settings: provider, models: [model, ...models] }, ...further];
}

function resolveProvider(offer: Offer, environment: AgentEnvironment | undefined): ResolvedProvider {
  const { keyFrom } = offer.settings;
  const key = keyFrom && environment ? secretOf(environment, keyFrom) : undefined;
  return key === undefined ? offer : { ...offer, key };
}

function resolveServer(name: string, server: McpServer, environment: AgentEnvironment | undefined): ResolvedServer {
  if (server.type === "stdio") {
    const { command, args } = server;
    return { type: "stdio", name, command, args, env: variablesOf(server, environment) };
  }
  const key = server.keyFrom && environment ? secretOf(environment, server.keyFrom) : undefined;
  const headers = { ...server.headers };
  for (const value of Object.values(headers)) environment?.hide(value);
  if (key !== undefined) headers.authorization = `Bearer ${key}`;
  return { type: "http", name, url: server.url, headers };
}
