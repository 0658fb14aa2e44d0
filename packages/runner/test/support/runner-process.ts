import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";

const MAIN = fileURLToPath(new URL("../../src/main.ts", import.meta.url));

/** The runner's program as its own process. */
export class RunnerProcess {
  readonly child: ChildProcess;
  stdout = "";
  stderr = "";
  readonly exited: Promise<number | null>;

  constructor(env: Record<string, string>, stdio: "ignore" | "pipe" = "ignore") {
    const child = spawn(process.execPath, [MAIN], {
      env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env },
      stdio: [stdio, "pipe", "pipe"],
    });
    this.child = child;
    child.stdout?.on("data", (data) => {
      this.stdout += data;
    });
    child.stderr?.on("data", (data) => {
      this.stderr += data;
    });
    this.exited = once(child, "close").then(([code]) => code);
    onTestFinished(() => {
      child.kill("SIGKILL");
    });
  }

  kill(signal: NodeJS.Signals): Promise<number | null> {
    this.child.kill(signal);
    return this.exited;
  }
}
