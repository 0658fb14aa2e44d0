import { execFile } from "node:child_process";
import { createReadStream, createWriteStream, existsSync } from "node:fs";
import { mkdir, readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { createBrotliDecompress } from "node:zlib";
import { type Browser, chromium } from "playwright-core";

const SYSTEM_BROWSERS = [
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/usr/bin/google-chrome-stable",
];

/** No sandbox as tests may run as root; no GPU, and no traffic but the page's own. */
const ARGS = [
  "--no-sandbox",
  "--no-zygote",
  "--disable-gpu",
  "--disable-dev-shm-usage",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-domain-reliability",
  "--disable-sync",
  "--no-pings",
  "--font-render-hinting=none",
];

/** A headless Chromium with a profile of its own: the machine's, or else the one that came with npm. */
export async function launchBrowser(): Promise<Browser> {
  const executablePath = SYSTEM_BROWSERS.find((path) => existsSync(path)) ?? (await packagedChromium());
  return chromium.launch({ executablePath, headless: true, args: ARGS });
}

/** Unpacks the browser of `@sparticuz/chromium` once per version, out of reach of other users of the machine. */
async function packagedChromium(): Promise<string> {
  const root = fileURLToPath(new URL("..", import.meta.resolve("@sparticuz/chromium")));
  const { version }: { version: string } = JSON.parse(await readFile(join(root, "package.json"), "utf8"));
  const folder = fileURLToPath(new URL("../../node_modules/.cache/agent-ops", import.meta.url));
  const browser = join(folder, `chromium-${version}`);
  if (!existsSync(browser)) {
    await mkdir(folder, { recursive: true });
    await unpack(join(root, "bin", "chromium.br"), browser);
  }
  await requireLibraries(browser);
  return browser;
}

/** Test processes may race to this: each writes a file of its own, and the last rename wins. */
async function unpack(archive: string, target: string): Promise<void> {
  const draft = `${target}.${process.pid}`;
  try {
    await pipeline(createReadStream(archive), createBrotliDecompress(), createWriteStream(draft, { mode: 0o755 }));
    await rename(draft, target);
  } finally {
    await rm(draft, { force: true });
  }
}

async function requireLibraries(browser: string): Promise<void> {
  const { stdout } = await promisify(execFile)("ldd", [browser]);
  const missing = [...stdout.matchAll(/^\s*(\S+) => not found/gm)].map((match) => match[1]);
  if (missing.length === 0) return;
  const hint = "On Debian: apt-get install chromium, or libnss3.";
  throw new Error(`Chromium cannot start here; these libraries are missing: ${missing.join(", ")}. ${hint}`);
}
