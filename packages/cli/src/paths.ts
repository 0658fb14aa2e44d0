import { chmodSync, mkdirSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

/** The root of the installation, whatever folder the command was given in. */
export const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), "../../..");

export type DataPaths = {
  private: string;
  secrets: string;
  /** The host's own list of agents. */
  agents: string;
  log: string;
  worker: string;
  runner: string;
  workspaces: string;
  homes: string;
};

/** What agents may see (`workspaces`, `homes`) lies apart from what they may not (`private`). */
export function dataPaths(folder: string): DataPaths {
  const inner = join(folder, "private");
  return {
    private: inner,
    secrets: join(inner, "secrets.json"),
    agents: join(inner, "agents.json"),
    log: join(inner, "agent-ops.log"),
    worker: join(inner, "worker"),
    runner: join(inner, "runner"),
    workspaces: join(folder, "workspaces"),
    homes: join(folder, "homes"),
  };
}

/** Makes the data folder. Where agents get users of their own, which takes root, these must be able to pass through. */
export function makeDataFolder(folder: string): void {
  mkdirSync(folder, { recursive: true });
  if (process.getuid?.() === 0) chmodSync(folder, statSync(folder).mode | 0o011);
}
