import type { AgentCommand, CommandsEvent } from "@agent-ops/shared/events";
import { LIMITS } from "@agent-ops/shared/limits";

type Told = { name: string; description?: string | null | undefined; hint?: string | null | undefined };

/** An agent's commands as an event. Some describe one in whole paragraphs; the first line is what a list has room for. */
export function commandsEvent(told: readonly Told[]): CommandsEvent {
  const fitting = told.filter(({ name }) => name !== "" && name.length <= LIMITS.commandNameChars);
  return { type: "commands", commands: fitting.slice(0, LIMITS.commands).map(commandOf) };
}

function commandOf({ name, description, hint }: Told): AgentCommand {
  return { name, description: firstLine(description), ...(hint ? { hint: firstLine(hint) } : {}) };
}

function firstLine(text: string | null | undefined): string {
  const line = text?.trim().split("\n", 1)[0] ?? "";
  return line.length <= LIMITS.commandTextChars
    ? line
    : `${line.slice(0, LIMITS.commandTextChars - 1).toWellFormed()}…`;
}
