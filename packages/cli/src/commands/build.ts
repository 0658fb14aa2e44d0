import { buildIfStale } from "../build.ts";

export const help = `agent-ops build

Builds the worker and the web page where their sources have changed. \`start\` does this by itself.`;

export function run(): Promise<void> {
  return buildIfStale();
}
