import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { newDataFolder, Product, ROOT } from "../product.ts";

const MODULES = join(ROOT, "conformance/agents/node_modules");

/** The program of an MCP server or an agent that the tests install, as Node runs it. */
function installedProgram(path: string): { command: string; args: string[] } {
  return { command: process.execPath, args: [join(MODULES, path)] };
}

export const EVERYTHING = installedProgram("@modelcontextprotocol/server-everything/dist/index.js");
export const FILESYSTEM = installedProgram("@modelcontextprotocol/server-filesystem/dist/index.js");

interface Wanted {
  agents: Record<string, object>;
  mcp?: object;
  env?: Record<string, string>;
}

/** A product whose host has agents of its own, as an operator writes them down. */
export async function startConfigured({ agents, mcp = {}, env = {} }: Wanted): Promise<Product> {
  const data = newDataFolder();
  mkdirSync(join(data, "private"), { mode: 0o700 });
  writeFileSync(join(data, "private/agents.json"), JSON.stringify({ agents, mcp }));
  return Product.start(env, data);
}
