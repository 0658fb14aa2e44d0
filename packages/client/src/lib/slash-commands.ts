import type { AgentCommand } from "@agent-ops/shared/events";
import { z } from "zod";

const KEY = "agent-ops.commands";
const command = z.object({ name: z.string(), description: z.string(), hint: z.string().optional() });
const known = z.record(z.string(), z.array(command));

/** Those that the text, so far, may become. */
export function matchCommands(text: string, commands: readonly AgentCommand[]): readonly AgentCommand[] {
  if (!text.startsWith("/")) return [];
  const typed = text.slice(1).toLowerCase();
  const matches = commands.filter(({ name }) => name.toLowerCase().startsWith(typed));
  return matches.length === 1 && matches[0]?.name === text.slice(1) ? [] : matches;
}

/** A command as it stands in the message, ready for what may follow it. */
export function textOfCommand({ name, hint }: AgentCommand): string {
  return hint === undefined ? `/${name}` : `/${name} `;
}

/** What an agent told in its last session that was open here: in a new one it has told nothing yet. */
export function recallCommands(agent: string | undefined): readonly AgentCommand[] {
  return agent === undefined ? [] : (loadKnown()[agent] ?? []);
}

export function rememberCommands(agent: string, commands: readonly AgentCommand[]): void {
  localStorage.setItem(KEY, JSON.stringify({ ...loadKnown(), [agent]: commands }));
}

function loadKnown(): z.infer<typeof known> {
  try {
    return known.parse(JSON.parse(localStorage.getItem(KEY) ?? "{}"));
  } catch {
    return {};
  }
}
