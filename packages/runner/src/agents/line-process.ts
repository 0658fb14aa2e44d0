import { type ChildProcessByStdio, spawn } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import { readLines } from "./lines.ts";

/** All that an agent gets to see of the runner's environment. */
const PASSED_ON = ["PATH", "HOME", "LANG", "TZ"];

interface LineProcessOptions {
  command: string;
  args: string[];
  cwd: string;
}

/** A child process that speaks JSON lines on its standard streams. It ends when its input does. */
export class LineProcess {
  #child: ChildProcessByStdio<Writable, Readable, null>;
  /** How it ended, in words. */
  readonly exited: Promise<string>;

  constructor({ command, args, cwd }: LineProcessOptions) {
    const env = Object.fromEntries(PASSED_ON.map((name) => [name, process.env[name]]));
    // A group of its own: Ctrl-C is the runner's to deal with, and whatever the agent started ends with it.
    this.#child = spawn(command, args, { cwd, env, stdio: ["pipe", "pipe", "ignore"], detached: true });
    this.exited = new Promise((resolve) => {
      this.#child.once("exit", (code, signal) => resolve(signal ? `signal ${signal}` : `exit code ${code}`));
      this.#child.once("error", (error) => resolve(error.message));
    });
    // A dead child cannot be written to; its end is what tells.
    this.#child.stdin.on("error", () => {});
  }

  send(message: unknown): void {
    this.#child.stdin.write(`${JSON.stringify(message)}\n`);
  }

  lines(): AsyncGenerator<string> {
    return readLines(this.#child.stdout);
  }

  async kill(): Promise<void> {
    const { pid, exitCode, signalCode } = this.#child;
    if (pid !== undefined && exitCode === null && signalCode === null) process.kill(-pid, "SIGKILL");
    await this.exited;
  }
}
