import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { type AgentPlace, spawnOptions } from "../../agent-places.ts";
import { onLeash } from "../leash.ts";
import { insideOf } from "./files.ts";

const OUTPUT_BYTES = 1024 * 1024;
const TERMINALS = 32;

export interface TerminalRequest {
  command: string;
  args?: readonly string[];
  env?: readonly { name: string; value: string }[];
  cwd?: string | null | undefined;
  outputByteLimit?: number | null | undefined;
}

interface ExitStatus {
  exitCode: number | null;
  signal: string | null;
}

/** Commands that an agent asks to have run: as its own user, in its workspace, with its scrubbed environment. */
export class Terminals {
  #place: AgentPlace;
  #open = new Map<string, Terminal>();

  constructor(place: AgentPlace) {
    this.#place = place;
  }

  async create(request: TerminalRequest): Promise<string> {
    if (this.#open.size >= TERMINALS) throw new Error(`At most ${TERMINALS} terminals are open at once.`);
    const { workspace } = this.#place;
    const cwd = request.cwd ? await insideOf(workspace, request.cwd) : workspace;
    const id = randomUUID();
    this.#open.set(id, new Terminal(this.#place, request, cwd));
    return id;
  }

  get(id: string): Terminal {
    const found = this.#open.get(id);
    if (!found) throw new Error("There is no such terminal.");
    return found;
  }

  release(id: string): void {
    this.get(id).kill();
    this.#open.delete(id);
  }

  dispose(): void {
    for (const id of this.#open.keys()) this.release(id);
  }
}

class Terminal {
  #child: ChildProcess;
  #output = Buffer.alloc(0);
  #limit: number;
  #truncated = false;
  #status: ExitStatus | undefined;
  readonly exited: Promise<ExitStatus>;

  constructor(place: AgentPlace, { command, args = [], env = [], outputByteLimit }: TerminalRequest, cwd: string) {
    this.#limit = Math.min(outputByteLimit ?? OUTPUT_BYTES, OUTPUT_BYTES);
    const options = spawnOptions(place);
    const asked = Object.fromEntries(env.map(({ name, value }) => [name, value]));
    // A line for a shell where there are no arguments, as agents give it.
    const line = args.length > 0 ? onLeash(command, [...args]) : onLeash("/bin/sh", ["-c", command]);
    this.#child = spawn(line.command, line.args, {
      ...options,
      cwd,
      env: { ...options.env, ...asked },
      stdio: ["pipe", "pipe", "pipe"],
    });
    for (const stream of [this.#child.stdout, this.#child.stderr]) stream?.on("data", (data) => this.#add(data));
    this.exited = new Promise((resolve) => {
      const end = (status: ExitStatus) => {
        this.#status = status;
        resolve(status);
      };
      this.#child.once("close", (exitCode, signal) => end({ exitCode, signal }));
      this.#child.once("error", (error) => {
        this.#add(Buffer.from(error.message));
        end({ exitCode: 127, signal: null });
      });
    });
  }

  get output(): { output: string; truncated: boolean; exitStatus?: ExitStatus } {
    const exitStatus = this.#status ? { exitStatus: this.#status } : {};
    return { output: this.#output.toString("utf8"), truncated: this.#truncated, ...exitStatus };
  }

  /** Its whole group: what a command started ends with it. */
  kill(): void {
    const { pid, exitCode, signalCode } = this.#child;
    if (pid !== undefined && exitCode === null && signalCode === null) process.kill(-pid, "SIGKILL");
  }

  /** The end of an output says more than its beginning. A character that the cut goes through is left out. */
  #add(data: Buffer): void {
    const all = Buffer.concat([this.#output, data]);
    let start = Math.max(0, all.length - this.#limit);
    if (start > 0) this.#truncated = true;
    while (start > 0 && start < all.length && ((all[start] ?? 0) & 0xc0) === 0x80) start += 1;
    this.#output = all.subarray(start);
  }
}
