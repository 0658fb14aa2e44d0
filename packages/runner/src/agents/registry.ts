import {
  type AgentClient,
  type AgentContext,
  type AgentFactory,
  type SessionNews,
  TurnError,
} from "../agent-client.ts";
import { type Equipment, EquippedAgent } from "../mcp-server/equipped-agent.ts";
import type { AgentSettings, AgentsFile } from "./agents-file.ts";
import { aiSdkAgent } from "./ai-sdk.ts";
import { isInstalled } from "./catalogue.ts";
import { createDemoAgent } from "./demo.ts";
import { DiscreetAgent } from "./discreet-agent.ts";
import { lazily } from "./lazy-agent.ts";
import { createOpenCodeAgent } from "./opencode.ts";
import { Redactor } from "./redactor.ts";

export interface AgentRegistry {
  names: string[];
  /** Throws where there is no such agent. */
  create(name: string, context: AgentContext): AgentClient;
}

interface HostOptions {
  /** Where everything runs on one machine, MCP servers on it may be used. */
  isOneMachine: boolean;
  equipment: Equipment;
}

/** The agents of this host: those that it has of itself, and those of its configuration, which come first. */
export function agentRegistry({ agents, mcp }: AgentsFile, { isOneMachine, equipment }: HostOptions): AgentRegistry {
  const rules = { ...mcp, loopback: mcp.loopback ?? isOneMachine };
  const configured = Object.entries(agents).map(
    ([name, settings]) => [name, discreet(equipped(configuredAgent(name, settings, rules), equipment))] as const,
  );
  const factories: ReadonlyMap<string, AgentFactory> = new Map([
    ["demo", createDemoAgent],
    ["opencode", discreet(equipped(createOpenCodeAgent, equipment))],
    ...configured,
  ]);
  // A host among others takes no sessions that it could only refuse; one alone says what to install.
  const isOffered = (name: string) => isOneMachine || name in agents || isInstalled(name);
  const names = [...factories.keys()].filter(isOffered);
  const create = (name: string, context: AgentContext) => {
    const factory = factories.get(name);
    if (!factory) throw new TurnError(`This host has no agent "${name}". It has: ${names.join(", ")}.`);
    return factory(context);
  };
  return { names, create };
}

function configuredAgent(name: string, settings: AgentSettings, rules: AgentsFile["mcp"]): AgentFactory {
  if (settings.type === "ai-sdk") return aiSdkAgent(settings, rules);
  return lazily(async () => (await import("./acp.ts")).acpAgent(name, settings));
}

/** For agents that can use the runner's own tools. */
function equipped(create: AgentFactory, equipment: Equipment): AgentFactory {
  return (context) => new EquippedAgent(equipment, context, create);
}

/** For agents that get keys: nothing they say shows one. */
function discreet(create: AgentFactory): AgentFactory {
  return (context) => {
    const { environment, tell } = context;
    if (!environment) return create(context);
    const redactor = new Redactor(environment.secrets);
    const discreetly: AgentContext = {
      ...context,
      ...(tell && { tell: (news: SessionNews) => tell({ ...news, title: redactor.text(news.title) }) }),
    };
    return new DiscreetAgent(create(discreetly), environment.secrets);
  };
}
