import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { build } from "vite";

/** Builds a worker as one module; the path of the result. */
export async function buildWorker(entry: string): Promise<string> {
  const outDir = mkdtempSync(join(tmpdir(), "agent-ops-bench-worker-"));
  await build({
    root: dirname(entry),
    configFile: false,
    logLevel: "error",
    build: {
      ssr: basename(entry),
      outDir,
      emptyOutDir: true,
      target: "es2024",
      minify: false,
      rollupOptions: { external: [/^cloudflare:/, /^node:/], output: { entryFileNames: "worker.js" } },
    },
    ssr: { target: "webworker", noExternal: true },
  });
  return join(outDir, "worker.js");
}
