import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { newDataFolder, ROOT } from "./product.ts";

export const MAIN = join(ROOT, "packages/cli/src/main.ts");

type Place = { url: string; data: string };

export function runnerToken(product: Place, name: string): string {
  const args = [MAIN, "token", "--runner", name, "--data", product.data];
  return execFileSync(process.execPath, args, { encoding: "utf8" }).trim();
}

/** `agent-ops runner` as a person starts it on another machine. */
export class RunnerHost {
  readonly data: string;
  readonly child: ChildProcess;
  readonly exited: Promise<number | null>;
  stderr = "";

  private constructor(child: ChildProcess, data: string) {
    this.child = child;
    this.data = data;
    this.exited = once(child, "exit").then(([code]) => code);
    child.stderr?.on("data", (text) => {
      this.stderr += text;
    });
  }

  static async join(product: Place, token: string, data = newDataFolder()): Promise<RunnerHost> {
    const args = ["runner", "--url", product.url, "--token", token, "--data", data];
    const child = spawn(process.execPath, [MAIN, ...args], { stdio: ["ignore", "pipe", "pipe"] });
    const host = new RunnerHost(child, data);
    if (!child.stdout) throw new Error("No standard output.");
    for await (const line of createInterface(child.stdout)) if (line === `Joined ${product.url}.`) return host;
    throw new Error(`The runner did not join: ${host.stderr}`);
  }

  /** The sessions whose agents have worked here. */
  get sessions(): string[] {
    return readdirSync(join(this.data, "workspaces"));
  }

  /** kill -9 of everything, as when a machine loses its power. */
  async crash(): Promise<void> {
    const { pid } = this.child;
    if (pid === undefined) return;
    const below = execFileSync("ps", ["--ppid", String(pid), "-o", "pid="], { encoding: "utf8" });
    process.kill(pid, "SIGKILL");
    for (const child of below.trim().split(/\s+/)) process.kill(Number(child), "SIGKILL");
    await this.exited;
  }

  async destroy(): Promise<void> {
    if (this.child.exitCode === null && this.child.signalCode === null) this.child.kill("SIGKILL");
    await this.exited;
    rmSync(this.data, { recursive: true, force: true });
  }
}
