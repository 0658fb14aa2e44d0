import { TurnError } from "../agent-client.ts";
import { findExecutable } from "./executables.ts";

/** A program that somebody else makes and that is installed apart from this one. */
export interface AgentProgram {
  /** What people call it. */
  title: string;
  /** What it is started as. */
  command: string;
  /** How it is installed. */
  install: string;
  /** Arguments with which it speaks the Agent Client Protocol; without them this host knows it by itself. */
  acp?: readonly string[];
}

/** Programs of agents that were tried with this one. */
export const PROGRAMS = {
  opencode: { title: "OpenCode", command: "opencode", install: npm("opencode-ai@1.18.33") },
  gemini: { title: "Gemini CLI", command: "gemini", install: npm("@google/gemini-cli@0.61.0"), acp: ["--acp"] },
  claude: {
    title: "Claude Agent",
    command: "claude-agent-acp",
    install: npm("@agentclientprotocol/claude-agent-acp@0.99.0"),
    acp: [],
  },
  qwen: { title: "Qwen Code", command: "qwen", install: npm("@qwen-code/qwen-code@0.24.4"), acp: ["--acp"] },
} as const satisfies Record<string, AgentProgram>;

/** Where an agent's program is; where it is not installed, the error says how to get it. */
export function requireProgram(name: keyof typeof PROGRAMS): string {
  const { title, command, install } = PROGRAMS[name];
  const program = findExecutable(command);
  if (program) return program;
  throw new TurnError(`${title} is not installed on this host. Install it with: ${install}`);
}

/** Whether an agent has its program here; those without one always have. */
export function isInstalled(name: string): boolean {
  const program = Object.entries(PROGRAMS).find(([known]) => known === name)?.[1];
  return !program || findExecutable(program.command) !== undefined;
}

/** How a program of this name is installed, where that is known. */
export function installHint(command: string): string | undefined {
  return Object.values(PROGRAMS).find((program) => program.command === command)?.install;
}

function npm(name: string): string {
  return `npm install --global ${name}`;
}
