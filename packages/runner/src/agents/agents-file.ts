import { existsSync, readFileSync, statSync } from "node:fs";
import { z } from "zod";
import { acpSettings } from "./acp/settings.ts";
import { aiSdkSettings } from "./ai-sdk/settings.ts";
import { mcpRules } from "./mcp/settings.ts";

const agentName = z.string().regex(/^[a-z0-9-]{1,64}$/, "An agent's name has lower-case letters, digits and dashes.");
const agentSettings = z.discriminatedUnion("type", [acpSettings, aiSdkSettings]);
export type AgentSettings = z.infer<typeof agentSettings>;

/** The host's own list of agents: `agents.json` in the data folder, or the file that `--agents` names. */
const agentsFile = z.strictObject({
  agents: z.record(agentName, agentSettings).default({}),
  mcp: mcpRules.prefault({}),
});
export type AgentsFile = z.infer<typeof agentsFile>;

const keysFile = z.record(z.string(), z.string());

export class ConfigurationError extends Error {
  override name = "ConfigurationError";
}

/** A file that is not there has no agents; one that cannot be understood is an error that says where. */
export function readAgentsFile(path: string | undefined): AgentsFile {
  if (path === undefined || !existsSync(path)) return agentsFile.parse({});
  return read(path, agentsFile);
}

/** The keys in a file that only its owner can read; none where there is no file. */
export function readKeysFile(path: string | undefined): Record<string, string> {
  return path !== undefined && existsSync(path) ? readPrivately(path) : {};
}

function readPrivately(path: string): Record<string, string> {
  if (process.platform !== "win32" && (statSync(path).mode & 0o077) !== 0) {
    throw new ConfigurationError(`${path} can be read by others. Say \`chmod 600\` to it.`);
  }
  return read(path, keysFile);
}

function read<Shape extends z.ZodType>(path: string, shape: Shape): z.infer<Shape> {
  const parsed = shape.safeParse(parseJson(path));
  if (parsed.success) return parsed.data;
  throw new ConfigurationError(`${path} is not right:\n${z.prettifyError(parsed.error)}`);
}

/** The reason that JSON gives quotes the text around it, which may be a key. */
function parseJson(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    const position = /line \d+ column \d+/.exec(error.message)?.[0];
    throw new ConfigurationError(`${path} is not JSON${position ? ` (${position})` : ""}.`);
  }
}
