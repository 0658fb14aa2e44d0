import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

/** The root of the installation, whatever folder the command was given in. */
export const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), "../../..");

export type DataPaths = {
  private: string;
  secrets: string;
  log: string;
  worker: string;
  runner: string;
  workspaces: string;
};

/** What agents may see (`workspaces`) lies apart from what they may not (`private`). */
export function dataPaths(folder: string): DataPaths {
  const inner = join(folder, "private");
  return {
    private: inner,
    secrets: join(inner, "secrets.json"),
    log: join(inner, "agent-ops.log"),
    worker: join(inner, "worker"),
    runner: join(inner, "runner"),
    workspaces: join(folder, "workspaces"),
  };
}
