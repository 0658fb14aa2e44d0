import { type AgentClient, type AgentContext, type AgentFactory, TurnError } from "../agent-client.ts";
import { createDemoAgent } from "./demo.ts";

const AGENTS: ReadonlyMap<string, AgentFactory> = new Map([["demo", createDemoAgent]]);

export function agentNames(): string[] {
  return [...AGENTS.keys()];
}

export function createAgent(name: string, context: AgentContext): AgentClient {
  const factory = AGENTS.get(name);
  if (!factory) throw new TurnError(`This host has no agent "${name}". It has: ${agentNames().join(", ")}.`);
  return factory(context);
}
