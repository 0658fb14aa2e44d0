import { spawn } from "node:child_process";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { agentsFile } from "../agents-option.ts";
import { buildIfStale } from "../build.ts";
import { hostEnv } from "../host-options.ts";
import { logTo } from "../log-file.ts";
import { baseUrl, dataFolder, isLoopback, localUser, portNumber, userName } from "../options.ts";
import { type DataPaths, dataPaths, makeDataFolder, ROOT } from "../paths.ts";
import { isolationWarning, joinedRunner, RUNNER_PROGRAM } from "../runner-process.ts";
import { loadSecrets, type Secrets } from "../secrets.ts";
import { readSettings } from "../settings.ts";
import { SupervisedProcess } from "../supervised-process.ts";
import { mintToken, signInLink } from "../tokens.ts";
import { UsageError } from "../usage-error.ts";
import { type WorkerSettings, workerMessage } from "../worker-settings.ts";

export const help = `agent-ops start [options]

Runs everything on this machine: the worker, a runner and the web page.

  --port N       where to listen (default 8787, or PORT)
  --host ADDRESS on which address (default 127.0.0.1)
  --data FOLDER  where the data is kept (default .agent-ops, or AGENT_OPS_DATA)
  --user NAME    for whom the printed sign-in link is (default: your login name)
  --agents FILE  further agents of this host (default: agents.json in the data
                 folder's private part, or AGENT_OPS_AGENTS); docs/agents.md says how
  --no-open      do not open a browser
  --workspace-root FOLDER
                 agents may work on the git repositories in it; can be given
                 more than once (or AGENT_OPS_WORKSPACE_ROOTS)
  --trust-agents let people share sessions although agents here are not kept
                 from what they should not read; it is said at start where so
                 (or TRUST_AGENTS=true)`;

const SHARED_ON_TRUST = "Sessions can be shared, since you trust them.";
const NOT_SHARED = "Sessions cannot be shared unless `agent-ops start` is given --trust-agents.";

export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      port: { type: "string" },
      host: { type: "string", default: "127.0.0.1" },
      data: { type: "string" },
      user: { type: "string", default: localUser() },
      agents: { type: "string" },
      "workspace-root": { type: "string", multiple: true },
      open: { type: "boolean", default: true },
      "trust-agents": { type: "boolean" },
    },
    allowNegative: true,
  });
  const given = readSettings(process.env);
  const trustsAgents = values["trust-agents"] ?? given.TRUST_AGENTS === "true";
  const settings = {
    host: values.host,
    port: portNumber(values.port),
    data: dataFolder(values.data),
    bindings: {
      ...given,
      LOOPBACK: String(isLoopback(values.host)),
      TRUST_AGENTS: String(trustsAgents),
    },
  };
  const user = userName(values.user);
  const paths = dataPaths(settings.data);
  const agents = agentsFile(values.agents, paths);
  const host = hostEnv(values["workspace-root"], paths);
  makeDataFolder(settings.data);
  const secrets = loadSecrets(paths);
  const stopped = stopSignal();
  await buildIfStale();
  const log = logTo(paths.log);
  const worker = await startWorker(settings, log);
  const url = baseUrl(settings.host, settings.port);
  const runner = new SupervisedProcess({
    name: "runner",
    program: RUNNER_PROGRAM,
    env: { ...(await runnerEnv(url, secrets, paths)), ...host, AGENT_OPS_AGENTS: agents },
    onLine: log,
  });
  const joined = await joinedRunner(runner);
  const sharing = trustsAgents ? SHARED_ON_TRUST : NOT_SHARED;
  if (joined?.isolation === "none") console.error(isolationWarning(joined.reason, sharing));
  // Where an identity provider says who people are, a link of ours would say nothing.
  const link = process.env.JWKS_URL ? `${url}/` : await signInLink(secrets.auth, user, url);
  console.log(`Agent Ops is ready: ${link}`);
  if (values.open && process.stdout.isTTY && !process.env.CI) openBrowser(link);
  await stopped;
  await Promise.all([runner.stop(), worker.stop()]);
}

async function startWorker(settings: WorkerSettings, onLine: (line: string) => void): Promise<SupervisedProcess> {
  const worker = new SupervisedProcess({
    name: "worker",
    program: join(ROOT, "packages/cli/src/worker-process.ts"),
    env: { AGENT_OPS_WORKER: JSON.stringify(settings) },
    onLine,
  });
  const message = workerMessage.parse(await worker.startAndWait());
  if (message.type === "ready") return worker;
  await worker.stop();
  throw new UsageError(message.message);
}

async function runnerEnv(url: string, secrets: Secrets, paths: DataPaths): Promise<Record<string, string>> {
  return {
    AGENT_OPS_URL: url,
    AGENT_OPS_RUNNER_TOKEN: await mintToken(secrets.auth, "local", { audience: "agent-ops:runner", ttl: "365d" }),
    AGENT_OPS_RUNNER_DATA: paths.runner,
    AGENT_OPS_WORKSPACES: paths.workspaces,
    AGENT_OPS_HOMES: paths.homes,
    // The worker goes down with it: nothing that runs could come to its end.
    AGENT_OPS_DRAIN_MS: "0",
  };
}

function stopSignal(): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  for (const signal of ["SIGTERM", "SIGINT"]) process.on(signal, () => resolve());
  return promise;
}

function openBrowser(link: string): void {
  const command = process.platform === "darwin" ? "open" : "xdg-open";
  const child = spawn(command, [link], { stdio: "ignore", detached: true });
  child.once("error", () => console.error("No browser could be opened. Open the link above yourself."));
  child.unref();
}
