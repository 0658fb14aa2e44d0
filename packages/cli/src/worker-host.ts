import { readFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { Log, LogLevel, Miniflare } from "miniflare";
import { type DataPaths, ROOT } from "./paths.ts";
import type { Secrets } from "./secrets.ts";
import { UsageError } from "./usage-error.ts";
import type { WorkerSettings } from "./worker-settings.ts";

export type WorkerOptions = Omit<WorkerSettings, "data"> & {
  paths: DataPaths;
  secrets: Secrets;
  onRestart(): void;
  /** It died and could not be started again. */
  onLost(): void;
};

/** Miniflare tries once to start a workerd that died; where that fails it says so here alone, and stays without one. */
class LossLog extends Log {
  #onLost: () => void;

  constructor(onLost: () => void) {
    super(LogLevel.WARN);
    this.#onLost = onLost;
  }

  override error(error: Error): void {
    super.error(error);
    if ("code" in error && error.code === "ERR_RUNTIME_FAILURE") this.#onLost();
  }
}

/** Starts the worker on workerd with its data on disk. A workerd that dies is started again on the same data. */
export async function startWorker(options: WorkerOptions): Promise<void> {
  await requireFreePort(options.host, options.port);
  await new Miniflare(miniflareOptions(options)).ready;
}

function miniflareOptions(options: WorkerOptions) {
  const { host, port, paths, secrets, bindings, inspectorPort, onRestart, onLost } = options;
  const actor = (exportName: string) => ({ type: "durable-object" as const, worker: "agent-ops", exportName });
  const sqlite = { type: "durable-object" as const, storage: "sqlite" as const };
  const text = (value: string) => ({ type: "text" as const, value });
  const texts = Object.entries(bindings).map(([name, value]) => [name, text(value)] as const);
  return {
    // Requests come in through the direct socket below; Miniflare's own entry, which inspects each one, stays unused.
    host: "127.0.0.1",
    port: 0,
    ...(inspectorPort === undefined ? {} : { inspectorPort }),
    cf: false,
    logRequests: false,
    log: new LossLog(onLost),
    telemetry: { enabled: false },
    resourcePersistencePath: paths.worker,
    unsafeHandleRuntimeRestart: onRestart,
    workers: [
      {
        config: {
          type: "worker" as const,
          name: "agent-ops",
          compatibilityDate: "2026-09-01",
          // Without it nothing tells that the client of a stream has gone.
          compatibilityFlags: ["enable_request_signal"],
          manifest: workerManifest(),
          env: {
            SESSIONS: actor("SessionAgent"),
            USERS: actor("UserAgent"),
            POOL: actor("PoolAgent"),
            ASSETS: { type: "disk" as const, path: join(ROOT, "packages/client/dist"), writable: false },
            AUTH_SECRET: text(secrets.auth),
            ID_SECRET: text(secrets.id),
            ...Object.fromEntries(texts),
          },
          exports: { SessionAgent: sqlite, UserAgent: sqlite, PoolAgent: sqlite },
        },
        dev: { unsafeDirectSockets: [{ host, port }] },
      },
    ],
  };
}

function workerManifest() {
  const modulesRoot = join(ROOT, "packages/worker/dist");
  const contents = readFileSync(join(modulesRoot, "worker.js"), "utf8");
  return { mainModule: "worker.js", modulesRoot, modules: { "worker.js": { type: "esm" as const, contents } } };
}

async function requireFreePort(host: string, port: number): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const probe = createServer();
  probe.once("error", (error) => reject(portError(error, host, port)));
  probe.listen(port, host, () => probe.close(() => resolve()));
  return promise;
}

function portError(error: Error, host: string, port: number): Error {
  if (!("code" in error)) return error;
  if (error.code === "EADDRINUSE") {
    return new UsageError(`Port ${port} on ${host} is taken. Choose another with --port or PORT.`);
  }
  if (error.code === "EACCES") return new UsageError(`Port ${port} needs more rights. Choose one above 1023.`);
  if (error.code === "EADDRNOTAVAIL") return new UsageError(`${host} is not an address of this machine.`);
  return error;
}
