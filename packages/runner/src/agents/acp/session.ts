import {
  type McpServer,
  methods,
  type NewSessionRequest,
  PROTOCOL_VERSION,
  RequestError,
} from "@agentclientprotocol/sdk";
import type { ToolServer } from "../../agent-client.ts";
import { type ModelChoice, modelChoice } from "./models.ts";
import type { AcpProcess } from "./process.ts";
import type { PromptCapabilities } from "./prompt-blocks.ts";
import type { AcpSettings } from "./settings.ts";

interface OpenOptions {
  settings: AcpSettings;
  workspace: string;
  /** The agent's own name for an earlier conversation. */
  earlier: string | undefined;
  /** The runner's own tools. */
  toolServer: ToolServer | undefined;
}

export interface OpenedSession {
  sessionId: string;
  capabilities: PromptCapabilities;
  /** Whether it is a conversation that there was before, and whether there was one that is lost. */
  past: "none" | "restored" | "lost";
  models: ModelChoice | undefined;
}

type Agent = AcpProcess["agent"];
type Capabilities = NonNullable<Awaited<ReturnType<typeof initialize>>["agentCapabilities"]>;

/** Says hello to an agent and opens a conversation, the earlier one where the agent still has it. */
export async function openSession(agent: Agent, options: OpenOptions): Promise<OpenedSession> {
  const { settings, workspace } = options;
  const { agentCapabilities: can = {} } = await initialize(agent, settings);
  if (settings.signIn) await agent.request(methods.agent.authenticate, { methodId: settings.signIn });
  const place: NewSessionRequest = { cwd: workspace, mcpServers: toolServers(can, options.toolServer) };
  const { earlier } = options;
  const restored = earlier === undefined ? undefined : await restore(agent, can, { ...place, sessionId: earlier });
  const opened = restored ?? (await agent.request(methods.agent.session.new, place));
  const sessionId = opened.sessionId;
  if (settings.mode) await agent.request(methods.agent.session.setMode, { sessionId, modeId: settings.mode });
  const past = restored ? "restored" : earlier === undefined ? "none" : "lost";
  return { sessionId, capabilities: can.promptCapabilities ?? {}, past, models: modelChoice(opened) };
}

function initialize(agent: Agent, { files, terminals }: AcpSettings) {
  return agent.request(methods.agent.initialize, {
    protocolVersion: PROTOCOL_VERSION,
    clientInfo: { name: "agent-ops", title: "Agent Ops", version: "0.1.0" },
    clientCapabilities: {
      fs: { readTextFile: files, writeTextFile: files },
      terminal: terminals,
      elicitation: { form: {} },
    },
  });
}

/** An agent that has lost an earlier conversation begins another one. */
async function restore(
  agent: Agent,
  { loadSession, sessionCapabilities }: Capabilities,
  request: { sessionId: string; cwd: string; mcpServers: McpServer[] },
): Promise<{ sessionId: string } | undefined> {
  const { resume, load } = methods.agent.session;
  const { sessionId } = request;
  try {
    if (sessionCapabilities?.resume) return { ...(await agent.request(resume, request)), sessionId };
    if (loadSession) return { ...(await agent.request(load, request)), sessionId };
    return undefined;
  } catch (error) {
    if (error instanceof RequestError) return undefined;
    throw error;
  }
}

function toolServers({ mcpCapabilities }: Capabilities, server: ToolServer | undefined): McpServer[] {
  if (!server || !mcpCapabilities?.http) return [];
  const headers = [{ name: "authorization", value: `Bearer ${server.password}` }];
  return [{ type: "http", name: "agent-ops", url: server.url, headers }];
}
