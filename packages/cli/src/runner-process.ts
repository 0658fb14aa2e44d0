import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { ROOT } from "./paths.ts";

const RESTART_MS = 500;
const STOP_MS = 5_000;

/** Keeps one runner host alive beside the worker until it is stopped. */
export class RunnerProcess {
  #env: Record<string, string>;
  #child: ChildProcess | undefined;
  #stopping = false;

  constructor(env: Record<string, string>) {
    this.#env = env;
  }

  start(): void {
    const child = spawn(process.execPath, [join(ROOT, "packages/runner/src/main.ts")], {
      env: { ...process.env, ...this.#env, AGENT_OPS_PARENT: "1" },
      stdio: ["pipe", "ignore", "inherit"],
    });
    this.#child = child;
    child.once("exit", (code, signal) => this.#onExit(signal ?? `exit code ${code}`));
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    const child = this.#child;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, "exit");
    child.kill("SIGTERM");
    await Promise.race([gone, delay(STOP_MS, undefined, { ref: false })]);
    child.kill("SIGKILL");
  }

  #onExit(reason: string): void {
    if (this.#stopping) return;
    console.error(`The runner ended (${reason}); starting it again.`);
    setTimeout(() => !this.#stopping && this.start(), RESTART_MS);
  }
}
