import { existsSync, globSync, statSync } from "node:fs";
import { join } from "node:path";
import { build } from "vite";
import { ROOT } from "./paths.ts";

type Target = { name: string; output: string; sources: string[] };

const TARGETS: Target[] = [
  { name: "worker", output: "dist/worker.js", sources: ["worker", "ai-sdk", "shared"] },
  { name: "client", output: "dist/index.html", sources: ["client", "ai-sdk", "shared"] },
];

/** Builds the worker and the web app where their sources are newer than what was built. */
export async function buildIfStale(): Promise<void> {
  for (const target of TARGETS.filter(isStale)) {
    const root = join(ROOT, "packages", target.name);
    await build({ root, configFile: join(root, "vite.config.ts"), logLevel: "warn" });
  }
}

function isStale({ name, output, sources }: Target): boolean {
  const built = join(ROOT, "packages", name, output);
  if (!existsSync(built)) return true;
  const files = sources.flatMap((source) => globSync(join(ROOT, "packages", source, "{src/**/*,*.*}")));
  const builtAt = statSync(built).mtimeMs;
  return [...files, join(ROOT, "package-lock.json")].some((file) => statSync(file).mtimeMs > builtAt);
}
