import { readFileSync } from "node:fs";
import { basename, dirname } from "node:path";
import { Log, LogLevel, Miniflare } from "miniflare";

/** Runs a built worker with one class of actors, set up as the product's own worker is: a direct socket, data on disk. */
const { BENCH_PORT, BENCH_WORKER = "", BENCH_ACTOR = "", BENCH_DATA = "" } = process.env;
const mainModule = basename(BENCH_WORKER);

const miniflare = new Miniflare({
  host: "127.0.0.1",
  port: 0,
  cf: false,
  logRequests: false,
  log: new Log(LogLevel.WARN),
  telemetry: { enabled: false },
  resourcePersistencePath: BENCH_DATA,
  workers: [
    {
      config: {
        type: "worker",
        name: "peer",
        compatibilityDate: "2026-09-01",
        compatibilityFlags: ["nodejs_compat"],
        manifest: {
          mainModule,
          modulesRoot: dirname(BENCH_WORKER),
          modules: { [mainModule]: { type: "esm", contents: readFileSync(BENCH_WORKER, "utf8") } },
        },
        env: { ACTORS: { type: "durable-object", worker: "peer", exportName: BENCH_ACTOR } },
        exports: { [BENCH_ACTOR]: { type: "durable-object", storage: "sqlite" } },
      },
      dev: { unsafeDirectSockets: [{ host: "127.0.0.1", port: Number(BENCH_PORT) }] },
    },
  ],
});

process.on("disconnect", () => process.kill(process.pid, "SIGTERM"));
await miniflare.ready;
process.send?.({ type: "ready" });
