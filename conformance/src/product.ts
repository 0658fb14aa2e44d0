import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

export const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), "../..");

/** The real product, started as a user would start it, with data of its own. */
export class Product {
  readonly url: string;
  readonly data: string;
  readonly link: string;
  /** What it wrote to its standard error since it was ready. */
  stderr = "";
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess, place: { url: string; data: string; link: string }) {
    this.#child = child;
    this.url = place.url;
    this.data = place.data;
    this.link = place.link;
    child.stderr?.on("data", (text) => {
      this.stderr += text;
    });
  }

  /** `options` are further ones of `agent-ops start`. */
  static async start(
    env: Record<string, string> = {},
    data = newDataFolder(),
    options: string[] = [],
  ): Promise<Product> {
    const port = await freePort();
    const args = ["start", "--no-open", "--trust-agents", "--port", String(port), "--data", data, ...options];
    const child = spawn(process.execPath, [join(ROOT, "packages/cli/src/main.ts"), ...args], {
      env: { ...process.env, ...env },
      stdio: ["ignore", "pipe", "pipe"],
    });
    child.stderr?.pipe(process.stderr, { end: false });
    const link = await readyLink(child);
    return new Product(child, { url: `http://127.0.0.1:${port}`, data, link });
  }

  workerdPid(): number {
    return descendant(this.#pid(), "workerd");
  }

  /** The process that watches over workerd. */
  workerPid(): number {
    return descendant(this.#pid(), "worker-process.ts");
  }

  runnerPid(): number {
    return descendant(this.#pid(), "runner/src/main.ts");
  }

  /** Every process below the product's own. */
  processes(): number[] {
    return descendants(this.#pid()).map(({ pid }) => pid);
  }

  async stop(): Promise<number | null> {
    if (this.#child.exitCode !== null) return this.#child.exitCode;
    const gone = once(this.#child, "exit");
    this.#child.kill("SIGTERM");
    await gone;
    return this.#child.exitCode;
  }

  async destroy(): Promise<void> {
    await this.stop();
    rmSync(this.data, { recursive: true, force: true });
  }

  #pid(): number {
    if (this.#child.pid === undefined) throw new Error("The product did not start.");
    return this.#child.pid;
  }
}

export function newDataFolder(): string {
  return mkdtempSync(join(tmpdir(), "agent-ops-test-"));
}

async function readyLink(child: ChildProcess): Promise<string> {
  if (!child.stdout) throw new Error("No standard output.");
  for await (const line of createInterface(child.stdout)) {
    const match = /^Agent Ops is ready: (\S+)$/.exec(line);
    if (match?.[1]) return match[1];
  }
  throw new Error(`The product ended before it was ready (exit code ${child.exitCode}).`);
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  if (address === null || typeof address === "string") throw new Error("No port.");
  return address.port;
}

export function descendant(pid: number, name: string): number {
  const found = descendants(pid).find((entry) => entry.command.includes(name));
  if (!found) throw new Error(`No process "${name}" below ${pid}.`);
  return found.pid;
}

function descendants(pid: number): { pid: number; command: string }[] {
  const lines = execFileSync("ps", ["-eo", "pid=,ppid=,args="], { encoding: "utf8" }).trim().split("\n");
  const all = lines.flatMap((line) => {
    const match = /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line);
    return match ? [{ pid: Number(match[1]), parent: Number(match[2]), command: match[3] ?? "" }] : [];
  });
  const children = (parent: number): typeof all =>
    all.filter((entry) => entry.parent === parent).flatMap((entry) => [entry, ...children(entry.pid)]);
  return children(pid);
}
