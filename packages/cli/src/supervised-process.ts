import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";

const RESTART_MS = 500;
const STOP_MS = 5_000;

export type ProcessOptions = {
  name: string;
  program: string;
  env: Record<string, string>;
  /** Each line the process writes to its standard error. */
  onLine(line: string): void;
  /** How long it may take to stop. */
  stopMs?: number;
};

/** A program that ends with this will not do better when it is started again. */
const FINAL_EXIT_CODE = 3;

/** A program of ours that is kept running until it is stopped. It ends by itself when this process is gone. */
export class SupervisedProcess {
  #options: ProcessOptions;
  #child: ChildProcess | undefined;
  #stopping = false;
  #final = Promise.withResolvers<void>();

  constructor(options: ProcessOptions) {
    this.#options = options;
  }

  /** Resolves when it has ended and is not started again. */
  get ended(): Promise<void> {
    return this.#final.promise;
  }

  /** Starts it and waits for its first message. */
  async startAndWait(): Promise<unknown> {
    const child = this.start();
    const [message] = await Promise.race([once(child, "message"), once(child, "exit").then(() => [undefined])]);
    return message;
  }

  start(): ChildProcess {
    const { program, env, onLine } = this.#options;
    const child = fork(program, [], {
      env: { ...process.env, ...env, AGENT_OPS_PARENT: "1" },
      stdio: ["ignore", "ignore", "pipe", "ipc"],
      // Ctrl-C in a terminal goes to a whole group; it is this process that tells the others.
      detached: true,
    });
    if (child.stderr) createInterface(child.stderr).on("line", onLine);
    child.once("exit", (code, signal) => {
      endGroup(child.pid);
      if (code === FINAL_EXIT_CODE) this.#final.resolve();
      else this.#onExit(signal ?? `exit code ${code}`);
    });
    this.#child = child;
    return child;
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    const child = this.#child;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, "exit");
    child.kill("SIGTERM");
    await Promise.race([gone, delay(this.#options.stopMs ?? STOP_MS, undefined, { ref: false })]);
    child.kill("SIGKILL");
  }

  #onExit(reason: string): void {
    if (this.#stopping) return;
    this.#options.onLine(`The ${this.#options.name} ended (${reason}); it is started again.`);
    setTimeout(() => !this.#stopping && this.start(), RESTART_MS);
  }
}

/** What a killed process leaves behind would hold its port and its data. */
function endGroup(leader: number | undefined): void {
  try {
    if (leader !== undefined) process.kill(-leader, "SIGKILL");
  } catch {
    // nobody is left
  }
}
