import { commandsEvent } from "../told-commands.ts";
import { type DemoAnswer, type DemoCommand, type DemoTurn, sleep, textDelta } from "./command.ts";
import { ordinaryAnswer, unknownCommand } from "./ordinary-answer.ts";
import { questionCommands } from "./question-commands.ts";
import { isReviewRequest, reviewAnswer } from "./review-answer.ts";
import { textCommands } from "./text-commands.ts";
import { toolCommands } from "./tool-commands.ts";

const HELP_LINE_MS = 5;

async function* help(turn: DemoTurn): DemoAnswer {
  yield textDelta("Write anything, or send one of these:\n\n");
  for (const { usage, help } of COMMANDS.values()) {
    yield textDelta(`- \`${usage}\` ${help}\n`);
    await sleep(turn, HELP_LINE_MS);
  }
}

/** Everything a turn can have, one after the other. */
async function* tour(turn: DemoTurn): DemoAnswer {
  for (const name of ["think", "args", "progress", "tool-error", "approve"]) {
    const command = COMMANDS.get(name);
    if (command) yield* command.run(turn);
    yield { type: "message.step" };
  }
  yield textDelta("That was the tour.");
}

const COMMANDS: ReadonlyMap<string, DemoCommand> = new Map(
  Object.entries({
    ...textCommands,
    ...toolCommands,
    ...questionCommands,
    tour: { usage: "/tour", help: "thinks, calls tools and asks for approval in one turn", run: tour },
    help: { usage: "/help", help: "shows this list", run: help },
  }),
);

/** The names of the commands, and how they are used. */
export const commandList = commandsEvent(
  [...COMMANDS].map(([name, { usage, help }]) => ({ name, description: help, hint: usage.slice(name.length + 2) })),
);

/** The answer to a prompt: a command's, or an ordinary one. */
export function answerPrompt(turn: Omit<DemoTurn, "args">, prompt: string): DemoAnswer {
  const [, name, args = ""] = /^\s*\/(\S*)\s*([\s\S]*)$/.exec(prompt) ?? [];
  if (isReviewRequest(prompt)) return reviewAnswer({ ...turn, args: prompt });
  if (name === undefined) return ordinaryAnswer({ ...turn, args: prompt });
  const command = COMMANDS.get(name);
  return command ? command.run({ ...turn, args: args.trim() }) : unknownCommand({ ...turn, args }, name);
}
