import { type DemoAnswer, type DemoCommand, type DemoTurn, say } from "./command.ts";
import { ordinaryAnswer, unknownCommand } from "./ordinary-answer.ts";
import { questionCommands } from "./question-commands.ts";
import { textCommands } from "./text-commands.ts";
import { toolCommands } from "./tool-commands.ts";

const helpCommand: DemoCommand = { usage: "/help", help: "shows this list", run: (turn) => say(turn, helpText()) };

const COMMANDS: ReadonlyMap<string, DemoCommand> = new Map(
  Object.entries({ ...textCommands, ...toolCommands, ...questionCommands, help: helpCommand }),
);

function helpText(): string {
  const lines = [...COMMANDS.values()].map(({ usage, help }) => `- \`${usage}\` ${help}`);
  return `Write anything, or send one of these:\n\n${lines.join("\n")}\n`;
}

/** The answer to a prompt: a command's, or an ordinary one. */
export function answerPrompt(turn: Omit<DemoTurn, "args">, prompt: string): DemoAnswer {
  const [, name, args = ""] = /^\s*\/(\S*)\s*([\s\S]*)$/.exec(prompt) ?? [];
  if (name === undefined) return ordinaryAnswer({ ...turn, args: prompt });
  const command = COMMANDS.get(name);
  return command ? command.run({ ...turn, args: args.trim() }) : unknownCommand({ ...turn, args }, name);
}
