import { type ChildProcessByStdio, spawn } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import { type AgentPlace, spawnOptions } from "../agent-places.ts";
import { readLines } from "./lines.ts";

interface LineProcessOptions {
  command: string;
  args: string[];
  place: AgentPlace;
}

/** A child process that speaks JSON lines on its standard streams. It ends when its input does. */
export class LineProcess {
  #child: ChildProcessByStdio<Writable, Readable, null>;
  /** How it ended, in words. */
  readonly exited: Promise<string>;

  constructor({ command, args, place }: LineProcessOptions) {
    this.#child = spawn(command, args, { ...spawnOptions(place), stdio: ["pipe", "pipe", "ignore"] });
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
