import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { AgentSettings, AgentsFile } from "./agents-file.ts";
import { type AgentProgram, installHint, PROGRAMS } from "./catalogue.ts";
import { findExecutable } from "./executables.ts";

const VERSION_MS = 20_000;
const VERSION = /\d+\.\d+\.\d+[\w.-]*/;

/** What this host has of one agent. `offered` is whether sessions can choose it as things are. */
export type AgentReport = {
  name: string;
  offered: boolean;
} & (
  | { kind: "built-in" }
  | { kind: "installed"; program: string; version: string | undefined; acp?: readonly string[] }
  | { kind: "missing"; command: string; install: string | undefined }
  | { kind: "model"; provider: string; model: string; missingKey: string | undefined }
);

/** All agents of this host: its own, those of its configuration, and those that could be added to it. */
export async function reportAgents({ agents }: AgentsFile, hasKey: (name: string) => boolean): Promise<AgentReport[]> {
  const configured = Object.entries(agents).map(([name, settings]) => reportConfigured(name, settings, hasKey));
  const known = Object.entries(PROGRAMS).flatMap(([name, program]) => {
    return agents[name] ? [] : [reportProgram(name, program)];
  });
  return [{ name: "demo", offered: true, kind: "built-in" }, ...(await Promise.all([...known, ...configured]))];
}

async function reportProgram(name: string, { command, install, acp }: AgentProgram): Promise<AgentReport> {
  const program = findExecutable(command);
  if (!program) return { name, offered: false, kind: "missing", command, install };
  const installed = { name, kind: "installed", program, version: await versionOf(program) } as const;
  return acp ? { ...installed, offered: false, acp } : { ...installed, offered: true };
}

async function reportConfigured(
  name: string,
  settings: AgentSettings,
  hasKey: (name: string) => boolean,
): Promise<AgentReport> {
  if (settings.type === "acp") {
    const { command } = settings;
    const report = await reportProgram(name, { title: name, command, install: installHint(command) ?? "" });
    return report.kind === "missing" ? { ...report, install: report.install || undefined } : report;
  }
  const { type: provider, keyFrom } = settings.provider;
  const missingKey = keyFrom !== undefined && !hasKey(keyFrom) ? keyFrom : undefined;
  return { name, offered: missingKey === undefined, kind: "model", provider, model: settings.model, missingKey };
}

/** Asked in a home of its own, since some programs write to it before they answer. */
async function versionOf(program: string): Promise<string | undefined> {
  const home = mkdtempSync(join(tmpdir(), "agent-ops-version-"));
  try {
    const env = { PATH: process.env.PATH, HOME: home };
    const { stdout } = await promisify(execFile)(program, ["--version"], { env, timeout: VERSION_MS });
    return VERSION.exec(stdout)?.[0];
  } catch {
    return undefined; // it is there, and says nothing about itself
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}
