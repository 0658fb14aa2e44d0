import { spawnSync } from "node:child_process";
import { existsSync, statSync, utimesSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";

/** Installs the agents that the tests run, as their own lock file says, unless they are there already. */
const folder = join(import.meta.dirname, "../conformance/agents");
const installed = join(folder, "node_modules/.package-lock.json");

function isInstalled(): boolean {
  return existsSync(installed) && statSync(installed).mtimeMs >= statSync(join(folder, "package-lock.json")).mtimeMs;
}

function install(): number {
  // Some packages choose their version by the Node that installs them: it must be the one that runs them.
  const path = [dirname(process.execPath), process.env.PATH].join(delimiter);
  const args = ["install", "--no-save", "--no-audit", "--no-fund", "--loglevel=error"];
  const { status } = spawnSync("npm", args, {
    cwd: folder,
    env: { ...process.env, PATH: path },
    stdio: ["ignore", "inherit", "inherit"],
  });
  if (status === 0) utimesSync(installed, new Date(), new Date());
  return status ?? 1;
}

process.exitCode = isInstalled() ? 0 : install();
