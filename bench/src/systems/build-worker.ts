import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "vite";

/** Builds a worker of `src/workers` as one module; the file's path. */
export async function buildWorker(name: string, folder = join(import.meta.dirname, "../workers")): Promise<string> {
  const outDir = mkdtempSync(join(tmpdir(), `agent-ops-bench-${name}-`));
  await build({
    root: folder,
    configFile: false,
    logLevel: "error",
    build: {
      ssr: `${name}.ts`,
      outDir,
      target: "es2024",
      minify: false,
      rollupOptions: { external: [/^cloudflare:/, /^node:/], output: { entryFileNames: "worker.js" } },
    },
    ssr: { target: "webworker", noExternal: true },
  });
  return join(outDir, "worker.js");
}
