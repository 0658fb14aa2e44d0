import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync } from "node:fs";
import { parseArgs } from "node:util";
import { buildIfStale } from "../build.ts";
import { baseUrl, dataFolder, localUser, portNumber, userName } from "../options.ts";
import { dataPaths } from "../paths.ts";
import { RunnerProcess } from "../runner-process.ts";
import { loadSecrets, type Secrets } from "../secrets.ts";
import { mintToken, signInLink } from "../tokens.ts";
import { startWorker } from "../worker-host.ts";

export const startHelp = `agent-ops start [options]

Runs everything on this machine: the worker, a runner and the web page.

  --port N       where to listen (default 8787, or PORT)
  --host ADDRESS on which address (default 127.0.0.1)
  --data FOLDER  where the data is kept (default .agent-ops, or AGENT_OPS_DATA)
  --user NAME    for whom the printed sign-in link is (default: your login name)
  --no-open      do not open a browser`;

export async function start(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      port: { type: "string" },
      host: { type: "string", default: "127.0.0.1" },
      data: { type: "string" },
      user: { type: "string", default: localUser() },
      open: { type: "boolean", default: true },
    },
    allowNegative: true,
  });
  const port = portNumber(values.port);
  const paths = dataPaths(dataFolder(values.data));
  const secrets = loadSecrets(paths);
  const stopped = stopSignal();
  mkdirSync(paths.workspaces, { recursive: true });
  await buildIfStale();
  const onRestart = () => console.error("The worker ended; it was started again on the same data.");
  const worker = await startWorker({ host: values.host, port, paths, secrets, bindings: workerBindings(), onRestart });
  const url = baseUrl(values.host, port);
  const runner = new RunnerProcess({
    AGENT_OPS_URL: url,
    AGENT_OPS_RUNNER_TOKEN: await runnerToken(secrets),
    AGENT_OPS_RUNNER_DATA: paths.runner,
    AGENT_OPS_WORKSPACES: paths.workspaces,
  });
  runner.start();
  const link = await signInLink(secrets.auth, userName(values.user), url);
  console.log(`Agent Ops is ready: ${link}`);
  if (values.open && process.stdout.isTTY && !process.env.CI) openBrowser(link);
  await stopped;
  await Promise.all([runner.stop(), worker.stop()]);
}

/** Settings of the worker that are taken from the environment. */
function workerBindings(): Record<string, string> {
  const names = ["ENABLE_AI_SDK_ADAPTER", "TIMES"];
  return Object.fromEntries(names.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : [])));
}

function runnerToken(secrets: Secrets): Promise<string> {
  return mintToken(secrets.auth, "local", { audience: "agent-ops:runner", ttl: "365d" });
}

function stopSignal(): Promise<unknown> {
  return Promise.race([once(process, "SIGTERM"), once(process, "SIGINT")]);
}

function openBrowser(link: string): void {
  const command = process.platform === "darwin" ? "open" : "xdg-open";
  const child = spawn(command, [link], { stdio: "ignore", detached: true });
  child.once("error", () => console.error("No browser could be opened. Open the link above yourself."));
  child.unref();
}
