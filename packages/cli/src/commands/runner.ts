import { mkdirSync } from "node:fs";
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { agentsFile } from "../agents-option.ts";
import { hostEnv } from "../host-options.ts";
import { logTo } from "../log-file.ts";
import { dataFolder, userName } from "../options.ts";
import { dataPaths, makeDataFolder } from "../paths.ts";
import { requireEntry } from "../runner-preflight.ts";
import { isolationWarning, joinedRunner, RUNNER_PROGRAM } from "../runner-process.ts";
import { SupervisedProcess } from "../supervised-process.ts";
import { UsageError } from "../usage-error.ts";

export const help = `agent-ops runner --url ADDRESS [options]

Joins an Agent Ops that runs elsewhere, and runs agents for it on this machine.

  --url ADDRESS        where Agent Ops runs, as https://agents.example.com (or AGENT_OPS_URL)
  --token TOKEN        from \`agent-ops token --runner NAME\`; better in AGENT_OPS_RUNNER_TOKEN,
                       since a command line can be read by everybody on the machine
  --name NAME          tells hosts apart that share a token
  --capacity N         how many sessions it takes (default: as many as come)
  --data FOLDER        where the runner keeps its data (default .agent-ops, or AGENT_OPS_DATA)
  --workspaces FOLDER  where agents work (default: in the data folder)
  --workspace-root FOLDER
                       agents may work on the git repositories in it; can be given more than once
                       (or AGENT_OPS_WORKSPACE_ROOTS)
  --agents FILE        further agents of this host (default: agents.json in the data folder's
                       private part, or AGENT_OPS_AGENTS)

The first SIGTERM or Ctrl-C lets running turns come to their end for 10 s, the second ends them.`;

/** Turns get 10 s, then the runner has a moment to say goodbye. */
const STOP_MS = 15_000;
const NO_SHARED_ONES = "No shared session comes here unless the server trusts its agents (TRUST_AGENTS=true).";

export async function run(args: string[]): Promise<void> {
  // The title takes the place of the arguments, of which one may be a token.
  process.title = "agent-ops runner";
  const { url, token, data, env } = settings(args);
  const paths = dataPaths(data);
  await requireEntry(url, token);
  makeDataFolder(data);
  mkdirSync(paths.private, { recursive: true, mode: 0o700 });
  const runner = new SupervisedProcess({
    name: "runner",
    program: RUNNER_PROGRAM,
    env,
    onLine: logTo(paths.log),
    stopMs: STOP_MS,
  });
  const stopped = stopOnSignal(runner);
  const joined = await joinedRunner(runner);
  if (joined?.isolation === "none") console.error(isolationWarning(joined.reason, NO_SHARED_ONES));
  console.log(joined ? `Joined ${url}.` : `Not joined yet; still trying ${url}.`);
  const ended = await Promise.race([stopped, runner.ended.then(() => "shut out" as const)]);
  if (ended === "shut out")
    throw new UsageError("The runner was shut out and does not try again; the line above says why.");
}

function settings(args: string[]) {
  const text = { type: "string" } as const;
  const options = { url: text, token: text, name: text, capacity: text, data: text, workspaces: text, agents: text };
  const several = { "workspace-root": { type: "string", multiple: true } } as const;
  const { values } = parseArgs({ args, options: { ...options, ...several } });
  const url = address(values.url ?? process.env.AGENT_OPS_URL);
  const token = values.token ?? process.env.AGENT_OPS_RUNNER_TOKEN;
  if (!token) throw new UsageError("Say with which token: --token TOKEN, or AGENT_OPS_RUNNER_TOKEN.");
  const data = dataFolder(values.data);
  const paths = dataPaths(data);
  const env = {
    AGENT_OPS_URL: url,
    AGENT_OPS_RUNNER_TOKEN: token,
    AGENT_OPS_RUNNER_DATA: paths.runner,
    AGENT_OPS_WORKSPACES: values.workspaces ? resolve(values.workspaces) : paths.workspaces,
    AGENT_OPS_HOMES: paths.homes,
    AGENT_OPS_AGENTS: agentsFile(values.agents, paths),
    ...hostEnv(values["workspace-root"], paths),
    AGENT_OPS_RUNNER_NAME: values.name === undefined ? "" : userName(values.name),
    AGENT_OPS_RUNNER_CAPACITY: values.capacity === undefined ? "" : count(values.capacity),
  };
  return { url, token, data, env };
}

function address(option: string | undefined): string {
  if (!option) throw new UsageError("Say where Agent Ops runs: --url ADDRESS");
  const url = URL.parse(option);
  if (url?.protocol === "http:" || url?.protocol === "https:") return option.replace(/\/+$/, "");
  throw new UsageError(`"${option}" is not an address such as https://agents.example.com.`);
}

function count(option: string): string {
  if (!/^[1-9]\d{0,5}$/.test(option)) throw new UsageError(`"${option}" is not a number of sessions.`);
  return option;
}

/** The runner waits for its turns at the first signal, and does not at the second. */
function stopOnSignal(runner: SupervisedProcess): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  for (const signal of ["SIGTERM", "SIGINT"]) process.on(signal, () => resolve(runner.stop()));
  return promise;
}
