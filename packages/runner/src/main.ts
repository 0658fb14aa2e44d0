import { resolve } from "node:path";
import { agentNames, createAgent } from "./agents/registry.ts";
import { systemClock } from "./clock.ts";
import { Host } from "./host.ts";
import { createLog, describeError } from "./log.ts";

const STOP_MS = 1_500;

const log = createLog((line) => process.stderr.write(line));

function setting(name: string): string {
  const value = process.env[name];
  if (value) return value;
  log.error("host.missing_setting", { name });
  process.exit(2);
}

const host = new Host({
  baseUrl: setting("AGENT_OPS_URL").replace(/^http/, "ws").replace(/\/+$/, ""),
  token: setting("AGENT_OPS_RUNNER_TOKEN"),
  dataDir: resolve(setting("AGENT_OPS_RUNNER_DATA")),
  workspacesDir: resolve(setting("AGENT_OPS_WORKSPACES")),
  agents: agentNames(),
  createAgent,
  clock: systemClock,
  log,
});

let stopping = false;

function stop(): void {
  if (stopping) return;
  stopping = true;
  setTimeout(() => process.exit(0), STOP_MS).unref();
  host.stop().then(
    () => process.exit(0),
    (error: unknown) => {
      log.error("host.stop_failed", { cause: describeError(error) });
      process.exit(1);
    },
  );
}

process.on("uncaughtException", (error) => {
  log.error("host.failed", {
    cause: describeError(error),
    stack: error.stack?.split("\n    at ").slice(1).join(" < "),
  });
  process.exit(1);
});
process.on("SIGTERM", stop);
process.on("SIGINT", stop);

/** A parent that dies, however it dies, closes what connects it to us. */
function followParent(): void {
  if (process.connected) {
    process.on("disconnect", stop);
    return;
  }
  process.stdin.on("end", stop).on("error", stop).resume();
}

if (process.env.AGENT_OPS_PARENT === "1") followParent();
