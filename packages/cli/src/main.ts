import { UsageError } from "./usage-error.ts";

type Command = { run(args: string[]): Promise<void>; help: string };

/** Loaded when asked for: `start` brings a builder and a server with it that the others do not need. */
const COMMANDS: Record<string, { load(): Promise<Command>; summary: string }> = {
  start: { load: () => import("./commands/start.ts"), summary: "run everything on this machine" },
  runner: { load: () => import("./commands/runner.ts"), summary: "run agents for an Agent Ops elsewhere" },
  agents: { load: () => import("./commands/agents.ts"), summary: "say which agents this machine has" },
  token: { load: () => import("./commands/token.ts"), summary: "print a token for the API" },
  link: { load: () => import("./commands/link.ts"), summary: "print a one-time sign-in link" },
  check: { load: () => import("./commands/check.ts"), summary: "check any AI SDK chat endpoint" },
  deploy: { load: () => import("./commands/deploy.ts"), summary: "deploy to Cloudflare" },
  build: { load: () => import("./commands/build.ts"), summary: "build what start needs" },
};

function overview(): string {
  const lines = Object.entries(COMMANDS).map(([name, { summary }]) => `  ${name.padEnd(8)} ${summary}`);
  return `agent-ops: coding agents as durable sessions that a team shares\n\n${lines.join("\n")}\n\nagent-ops COMMAND --help says more.`;
}

async function main([name, ...args]: string[]): Promise<void> {
  if (name === undefined || name === "help" || name === "--help" || name === "-h") return console.log(overview());
  const entry = COMMANDS[name];
  if (!entry) throw new UsageError(`There is no command "${name}".\n\n${overview()}`);
  const command = await entry.load();
  if (args.includes("--help") || args.includes("-h")) return console.log(command.help);
  await command.run(args);
}

/** Mistakes on the command line are told in a sentence; anything else is a defect and shows its stack. */
function report(error: unknown): void {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  const usage = error instanceof UsageError || (error instanceof TypeError && code !== undefined);
  if (code === "ENOSPC") console.error("There is no room left on the disk that holds the data.");
  else console.error(usage && error instanceof Error ? error.message : error);
  process.exitCode = usage ? 2 : 1;
}

await main(process.argv.slice(2)).catch(report);
