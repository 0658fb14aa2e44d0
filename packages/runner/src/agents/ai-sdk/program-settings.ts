import type { ToolServer } from "../../agent-client.ts";
import type { McpRules } from "../mcp/settings.ts";
import type { AiSdkSettings, ProviderSettings } from "./settings.ts";

/** An MCP server with what the host's configuration only names. */
export type ResolvedServer =
  | { type: "stdio"; name: string; command: string; args: string[]; env: Record<string, string> }
  | { type: "http"; name: string; url: string; headers: Record<string, string> };

/** A provider with its key, and the models that may be chosen, the usual one first. */
export type ResolvedProvider = { name: string; settings: ProviderSettings; models: string[]; key?: string };

type Resolved = "type" | "provider" | "model" | "models" | "providers" | "mcpServers" | "tools";

/** All that the agent's process needs to know. */
export type ProgramSettings = Omit<AiSdkSettings, Resolved> & {
  /** The agent's usual one first. */
  providers: ResolvedProvider[];
  servers: ResolvedServer[];
  rules: McpRules;
  /** The runner's own tools. */
  toolServer?: ToolServer;
};
