import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { ConfigurationError, readAgentsFile } from "@agent-ops/runner/agents-file";
import type { DataPaths } from "./paths.ts";
import { UsageError } from "./usage-error.ts";

/** Where the host's own list of agents is. What is wrong with it is said before anything starts. */
export function agentsFile(option: string | undefined, paths: DataPaths): string {
  const named = option ?? process.env.AGENT_OPS_AGENTS;
  if (named !== undefined && !existsSync(named)) throw new UsageError(`There is no file ${named} with agents.`);
  const path = resolve(named ?? paths.agents);
  try {
    readAgentsFile(path);
  } catch (error) {
    throw error instanceof ConfigurationError ? new UsageError(error.message) : error;
  }
  return path;
}
