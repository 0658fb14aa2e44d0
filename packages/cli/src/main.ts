import { link, linkHelp } from "./commands/link.ts";
import { start, startHelp } from "./commands/start.ts";
import { token, tokenHelp } from "./commands/token.ts";
import { UsageError } from "./usage-error.ts";

type Command = { run(args: string[]): Promise<void>; help: string; summary: string };

const COMMANDS: Record<string, Command> = {
  start: { run: start, help: startHelp, summary: "run everything on this machine" },
  token: { run: token, help: tokenHelp, summary: "print a token for the API" },
  link: { run: link, help: linkHelp, summary: "print a one-time sign-in link" },
};

function overview(): string {
  const lines = Object.entries(COMMANDS).map(([name, { summary }]) => `  ${name.padEnd(8)} ${summary}`);
  return `agent-ops: coding agents as durable sessions that a team shares\n\n${lines.join("\n")}\n\nagent-ops COMMAND --help says more.`;
}

async function main([name, ...args]: string[]): Promise<void> {
  if (name === undefined || name === "help" || name === "--help" || name === "-h") return console.log(overview());
  const command = COMMANDS[name];
  if (!command) throw new UsageError(`There is no command "${name}".\n\n${overview()}`);
  if (args.includes("--help") || args.includes("-h")) return console.log(command.help);
  await command.run(args);
}

/** Mistakes on the command line are told in a sentence; anything else is a defect and shows its stack. */
function report(error: unknown): void {
  const usage = error instanceof UsageError || (error instanceof TypeError && "code" in error);
  console.error(usage && error instanceof Error ? error.message : error);
  process.exitCode = usage ? 2 : 1;
}

await main(process.argv.slice(2)).catch(report);
