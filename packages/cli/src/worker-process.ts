import { dataPaths } from "./paths.ts";
import { loadSecrets } from "./secrets.ts";
import { UsageError } from "./usage-error.ts";
import { startWorker } from "./worker-host.ts";
import { type WorkerMessage, workerSettings } from "./worker-settings.ts";

const RETRY_MS = 1_000;

/** The process that holds Miniflare and, below it, workerd. Miniflare ends it on a signal, so it is one of its own. */
async function run(): Promise<WorkerMessage> {
  const { data, ...settings } = workerSettings.parse(JSON.parse(process.env.AGENT_OPS_WORKER ?? ""));
  const paths = dataPaths(data);
  const onRestart = () => console.error("The worker's runtime ended; it was started again on the same data.");
  await startWorker({ ...settings, paths, secrets: loadSecrets(paths), onRestart, onLost: end });
  return { type: "ready" };
}

/** Whoever watches over this process starts another one. */
function end(): void {
  process.exit(1);
}

function onFailure(error: unknown): WorkerMessage {
  // The first time the parent gives up, and ends this process; later nobody hears the message, and it is tried again.
  setTimeout(end, RETRY_MS);
  if (error instanceof UsageError) return { type: "failed", message: error.message };
  console.error(error);
  return { type: "failed", message: "The worker did not start." };
}

process.on("disconnect", () => process.kill(process.pid, "SIGTERM"));
process.send?.(await run().catch(onFailure));
