import { type ChildProcessByStdio, spawn } from "node:child_process";
import { type Readable, Writable } from "node:stream";
import { type ClientApp, type ClientConnection, methods, ndJsonStream } from "@agentclientprotocol/sdk";
import { z } from "zod";
import { TurnError } from "../../agent-client.ts";
import { type AgentPlace, spawnOptions } from "../../agent-places.ts";
import { installHint } from "../catalogue.ts";
import { readLines } from "../lines.ts";

/** An agent that is let go gets this long to end by itself. */
const FAREWELL_MS = 1_000;

/** Takes a `session/update`; nothing more is read until there is room. */
type OnUpdate = (params: { update: unknown }) => Promise<void> | undefined;
type AgentSide = ClientConnection["agent"];

interface AcpProcessOptions {
  app: ClientApp;
  command: string;
  args: string[];
  env: Record<string, string>;
  place: AgentPlace;
  onUpdate: OnUpdate;
}

/** An ACP agent's process, and the connection to it over its standard streams. */
export class AcpProcess {
  #child: ChildProcessByStdio<Writable, Readable, null>;
  #command: string;
  #connection: ClientConnection;
  #ended: string | undefined;
  readonly exited: Promise<void>;

  constructor({ app, command, args, env, place, onUpdate }: AcpProcessOptions) {
    this.#command = command;
    const options = spawnOptions(place);
    this.#child = spawn(command, args, {
      ...options,
      env: { ...options.env, ...env },
      stdio: ["pipe", "pipe", "ignore"],
    });
    this.#child.stdin.on("error", () => {});
    const input = ReadableStream.from(this.#withoutUpdates(onUpdate));
    this.#connection = app.connect(ndJsonStream(Writable.toWeb(this.#child.stdin), input));
    this.exited = this.#watch();
  }

  get isAlive(): boolean {
    return this.#ended === undefined && !this.#connection.signal.aborted;
  }

  get agent(): AgentSide {
    return this.#connection.agent;
  }

  /** What a request came to; where the process ended meanwhile, that is what is told. */
  async ask<Answer>(request: (agent: AgentSide) => Promise<Answer>): Promise<Answer> {
    try {
      return await request(this.#connection.agent);
    } catch (error) {
      if (this.isAlive) throw new TurnError(messageOf(error));
      await this.kill();
      throw new TurnError(`The agent's process ended unexpectedly (${this.#ended}).`);
    }
  }

  /** Lets it write down what it has to, and ends it with all that it started. */
  async stop(): Promise<void> {
    this.#child.stdin.end();
    const late = setTimeout(() => this.#signalGroup(), FAREWELL_MS);
    await this.exited;
    clearTimeout(late);
    this.#signalGroup();
  }

  /** `why` is what people are told. */
  async kill(why?: string): Promise<void> {
    this.#ended ??= why;
    this.#signalGroup();
    await this.exited;
  }

  /**
   * Takes updates out of what the agent says before the connection reads it: it knows only those of its own time, would
   * let the answer to a prompt overtake them, and reads on however much nobody has taken yet.
   */
  async *#withoutUpdates(onUpdate: OnUpdate): AsyncGenerator<Uint8Array> {
    const encoder = new TextEncoder();
    try {
      for await (const line of readLines(this.#child.stdout)) {
        const update = updateIn(line);
        if (update) await onUpdate(update);
        else yield encoder.encode(`${line}\n`);
      }
    } catch (error) {
      void this.kill(messageOf(error));
      throw error;
    }
  }

  #signalGroup(): void {
    const { pid } = this.#child;
    try {
      if (pid !== undefined) process.kill(-pid, "SIGKILL");
    } catch {
      // nobody is left
    }
  }

  #watch(): Promise<void> {
    return new Promise((resolve) => {
      const end = (how: string) => {
        this.#ended ??= how;
        this.#connection.close();
        // What it started may still hold the other end.
        this.#child.stdout.destroy();
        resolve();
      };
      this.#child.once("exit", (code, signal) => end(signal ? `signal ${signal}` : `exit code ${code}`));
      this.#child.once("error", (error) => end(startFailure(error, this.#command)));
    });
  }
}

function startFailure(error: Error, command: string): string {
  const code = "code" in error ? error.code : undefined;
  if (code !== "ENOENT") return error.message;
  const install = installHint(command);
  return `there is no program "${command}" on this host${install ? `; install it with: ${install}` : ""}`;
}

const notification = z.looseObject({
  method: z.literal(methods.client.session.update),
  params: z.looseObject({ update: z.unknown() }),
});

function updateIn(line: string): { update: unknown } | undefined {
  try {
    return notification.safeParse(JSON.parse(line)).data?.params;
  } catch {
    return undefined; // the connection says so to the agent
  }
}

/** Some agents pass on what a model's server answered as it came. */
function messageOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  try {
    const inner: unknown = JSON.parse(message).error?.message;
    return typeof inner === "string" ? inner : message;
  } catch {
    return message; // plain words
  }
}
