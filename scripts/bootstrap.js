// Installs what the lock file says when it is not there yet, then runs a TypeScript program on the pinned Node.
// Plain JavaScript for Node 20 and newer: nothing is installed when this begins.
import { spawn, spawnSync } from "node:child_process";
import { existsSync, statSync, utimesSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const installed = join(root, "node_modules", ".package-lock.json");
const node = join(root, "node_modules", "node", "bin", process.platform === "win32" ? "node.exe" : "node");

function isInstalled() {
  if (!existsSync(installed) || !existsSync(node)) return false;
  return statSync(installed).mtimeMs >= statSync(join(root, "package-lock.json")).mtimeMs;
}

function install() {
  console.error("Installing dependencies; this happens once and takes a minute or so.");
  // `npm ci` refuses a lock file without the packages of every other platform, which not every registry mirror has.
  const args = ["install", "--no-save", "--no-audit", "--no-fund", "--loglevel=error"];
  const { status } = spawnSync("npm", args, {
    cwd: root,
    stdio: ["ignore", 2, 2],
    shell: process.platform === "win32",
  });
  if (status !== 0) {
    console.error("The installation failed; the lines above say why. Nothing was started.");
    process.exit(status ?? 1);
  }
  utimesSync(installed, new Date(), new Date());
}

if (!isInstalled()) install();

const [program, ...args] = process.argv.slice(2);
const child = spawn(node, [join(root, program), ...args], { stdio: "inherit" });
for (const signal of ["SIGTERM", "SIGINT"]) process.on(signal, () => child.kill(signal));
child.on("exit", (code, signal) => process.exit(code ?? (signal ? 1 : 0)));
