import { mkdirSync } from "node:fs";
import { delimiter, join, resolve } from "node:path";
import { AgentEnvironment } from "./agent-environment.ts";
import { AgentPlaces } from "./agent-places.ts";
import { type AgentsFile, ConfigurationError, readAgentsFile, readKeysFile } from "./agents/agents-file.ts";
import { endLeftoversOf, endProcessesOfAll } from "./agents/leftovers.ts";
import { agentRegistry } from "./agents/registry.ts";
import { systemClock } from "./clock.ts";
import { Host } from "./host.ts";
import { findIsolation } from "./isolation.ts";
import { createLog, describeError } from "./log.ts";
import { isLoopback } from "./loopback.ts";
import { spawner } from "./mcp-server/spawn.ts";
import { ToolHost } from "./mcp-server/tool-host.ts";
import { Workspaces } from "./workspace/workspaces.ts";

const DRAIN_MS = 10_000;
const STOP_MS = 1_500;
/** Starting again would change nothing. */
const SHUT_OUT_EXIT_CODE = 3;
const SHUT_OUT = {
  token: "The server refused the runner's token. Make a new one with `agent-ops token --runner NAME`.",
  name: "Another runner host has joined under the same name. Give each host a name of its own.",
};

const log = createLog((line) => process.stderr.write(line));
let host: Host | undefined;
let patience: AbortController | undefined;

function setting(name: string): string {
  const value = process.env[name];
  if (value) return value;
  log.error("host.missing_setting", { name });
  process.exit(2);
}

/** A mistake in the host's configuration stays one however often this program is started. */
function configuration(): AgentsFile {
  try {
    return readAgentsFile(process.env.AGENT_OPS_AGENTS || undefined);
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    log.error("host.bad_configuration", { message: error.message });
    process.exit(SHUT_OUT_EXIT_CODE);
  }
}

/** The first call lets turns come to their end for a while, any other ends them now. */
function leave(ms: number, exitCode = 0): void {
  if (!host) process.exit(exitCode);
  if (patience) return patience.abort();
  const waiting = new AbortController();
  patience = waiting;
  waiting.signal.addEventListener("abort", () => setTimeout(() => process.exit(exitCode), STOP_MS));
  setTimeout(() => waiting.abort(), ms);
  host.leave(waiting.signal).then(
    () => process.exit(exitCode),
    (error: unknown) => {
      log.error("host.stop_failed", { cause: describeError(error) });
      process.exit(1);
    },
  );
}

/** A parent that dies, however it dies, closes what connects it to us. */
function followParent(): void {
  const stop = () => leave(0);
  if (process.connected) process.on("disconnect", stop);
  else process.stdin.on("end", stop).on("error", stop).resume();
}

process.on("uncaughtException", (error) => {
  log.error("host.failed", {
    cause: describeError(error),
    stack: error.stack?.split("\n    at ").slice(1).join(" < "),
  });
  process.exit(1);
});
const drainMs = Number(process.env.AGENT_OPS_DRAIN_MS || DRAIN_MS);
for (const signal of ["SIGTERM", "SIGINT"]) process.on(signal, () => leave(drainMs));
if (process.env.AGENT_OPS_PARENT === "1") followParent();

const baseUrl = setting("AGENT_OPS_URL").replace(/^http/, "ws").replace(/\/+$/, "");
const token = setting("AGENT_OPS_RUNNER_TOKEN");
const dataDir = resolve(setting("AGENT_OPS_RUNNER_DATA"));
const workspacesDir = resolve(setting("AGENT_OPS_WORKSPACES"));
const homesDir = resolve(setting("AGENT_OPS_HOMES"));
const { AGENT_OPS_RUNNER_NAME: name, AGENT_OPS_RUNNER_CAPACITY: capacity } = process.env;

const registry = agentRegistry(configuration(), {
  isOneMachine: isLoopback(new URL(baseUrl).hostname),
  equipment: {
    host: new ToolHost(),
    spawn: spawner({ url: baseUrl.replace(/^ws/, "http"), token, hostName: name || undefined }),
  },
});
const environment = new AgentEnvironment({
  env: process.env,
  keys: readKeysFile(process.env.AGENT_OPS_KEYS || undefined),
  passed: (process.env.AGENT_OPS_AGENT_ENV ?? "").split(",").filter((entry) => entry !== ""),
});

mkdirSync(dataDir, { recursive: true, mode: 0o700 });
endLeftoversOf(homesDir);
const isolation = await findIsolation({ workspacesDir, homesDir, dataDir });
log.info("host.isolation", { ...isolation, users: undefined });
const users = isolation.kind === "user" ? isolation.users : undefined;
await endProcessesOfAll(users?.all ?? []);

host = new Host({
  baseUrl,
  token,
  name: name || undefined,
  capacity: capacity ? Number(capacity) : undefined,
  dataDir,
  places: new AgentPlaces({ workspacesDir, homesDir, users }),
  workspaces: new Workspaces({
    dir: join(dataDir, "workspaces"),
    roots: (process.env.AGENT_OPS_WORKSPACE_ROOTS ?? "").split(delimiter).filter((root) => root !== ""),
  }),
  isolation: isolation.kind,
  secrets: environment.secrets,
  agents: registry.names,
  createAgent: (agent, context) =>
    registry.create(agent, { ...context, environment, log: log.with({ sessionId: context.sessionId }) }),
  clock: systemClock,
  log,
  // A parent that started this program is told once what it can tell people.
  onJoined: () => {
    const reason = isolation.kind === "none" ? { reason: isolation.reason } : {};
    if (process.connected) process.send?.({ type: "joined", isolation: isolation.kind, ...reason });
  },
  onShutOut: (why) => {
    log.error("host.shut_out", { why, message: SHUT_OUT[why] });
    leave(0, SHUT_OUT_EXIT_CODE);
  },
});
