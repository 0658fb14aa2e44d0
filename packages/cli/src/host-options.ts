import { statSync } from "node:fs";
import { delimiter, join, resolve } from "node:path";
import { ConfigurationError, readKeysFile } from "@agent-ops/runner/agents-file";
import type { DataPaths } from "./paths.ts";
import { UsageError } from "./usage-error.ts";

/** What a runner is told about its host: whose repositories agents may work on, and where the keys are. */
export function hostEnv(roots: string[] | undefined, paths: DataPaths): Record<string, string> {
  const folders = roots?.map(existingFolder).join(delimiter) ?? process.env.AGENT_OPS_WORKSPACE_ROOTS ?? "";
  const keys = keysFile(paths);
  return { AGENT_OPS_WORKSPACE_ROOTS: folders, AGENT_OPS_KEYS: keys };
}

function existingFolder(folder: string): string {
  const path = resolve(folder);
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return path;
  throw new UsageError(`${path} is not a folder.`);
}

/** Where the host's keys are. What is wrong with the file is said before anything starts. */
export function keysFile(paths: DataPaths): string {
  const path = process.env.AGENT_OPS_KEYS || join(paths.private, "keys.json");
  try {
    readKeysFile(path);
  } catch (error) {
    throw error instanceof ConfigurationError ? new UsageError(error.message) : error;
  }
  return path;
}
