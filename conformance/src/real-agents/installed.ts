import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { ROOT } from "../product.ts";

const MODULES = join(ROOT, "conformance/agents/node_modules");

/** A PATH on which the agents of the tests come first. One that is missing is a failure, never a test less. */
export function pathWithAgents(...names: string[]): string {
  const bin = join(MODULES, ".bin");
  const missing = names.filter((name) => !existsSync(join(bin, name)));
  if (missing.length > 0) {
    throw new Error(`Not installed: ${missing.join(", ")}. \`npm test\` installs what conformance/agents names.`);
  }
  const ripgrep = join(MODULES, "@vscode/ripgrep-linux-x64/bin");
  return [bin, ripgrep, process.env.PATH].join(delimiter);
}
