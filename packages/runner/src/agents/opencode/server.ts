import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:net";
import type { Readable } from "node:stream";
import { TurnError } from "../../agent-client.ts";
import type { AgentEnvironment } from "../../agent-environment.ts";
import { type AgentPlace, spawnOptions } from "../../agent-places.ts";
import { describeExit, onLeash } from "../leash.ts";
import { endLeftovers } from "../leftovers.ts";
import { readLines } from "../lines.ts";
import { OpenCodeApi } from "./api.ts";
import { openCodeEnvironment, PASSWORD, shareSettings } from "./settings.ts";

const LISTENING = /listening on (http:\/\/\S+)/;
/** It takes 2 to 5 s on a machine that has little else to do. */
const START_MS = 60_000;
/** It ends at once when asked to; one that does not is ended. */
const STOP_MS = 1_000;
const COMPLAINT_CHARS = 500;

type Address = { url: string; password: string };

interface ServerOptions {
  program: string;
  place: AgentPlace;
  environment?: AgentEnvironment | undefined;
}

/** One `opencode serve` process, in one workspace, with a password that nobody else has. */
export class OpenCodeServer {
  readonly api: OpenCodeApi;
  /** How it ended, in words. */
  readonly exited: Promise<string>;
  isAlive = true;
  #child: ChildProcess;

  private constructor(child: ChildProcess, { url, password }: Address, exited: Promise<string>) {
    this.#child = child;
    this.api = new OpenCodeApi(url, password);
    this.exited = exited.finally(() => {
      this.isAlive = false;
      endLeftovers(`${PASSWORD}=${password}`);
    });
  }

  static async start({ program, place, environment }: ServerOptions): Promise<OpenCodeServer> {
    const password = randomBytes(24).toString("base64url");
    environment?.hide(password);
    await shareSettings(place, environment);
    const serve = ["serve", "--hostname", "127.0.0.1", "--port", String(await freePort())];
    const { command, args } = onLeash(program, serve);
    const child = spawn(command, args, {
      ...spawnOptions(place),
      env: openCodeEnvironment(place, environment, password),
      stdio: ["pipe", "pipe", "pipe"],
    });
    const exited = endOf(child);
    const complaint = lastWords(child.stderr);
    const url = await Promise.race([listening(child.stdout), exited.then(() => undefined), late()]);
    if (url) return new OpenCodeServer(child, { url, password }, exited);
    child.stdin.destroy();
    throw new TurnError(`OpenCode did not start (${await exited}). ${complaint()}`.trim());
  }

  async stop(): Promise<void> {
    if (!this.isAlive) return;
    this.#child.kill("SIGTERM");
    const timer = setTimeout(() => this.kill(), STOP_MS);
    await this.exited;
    clearTimeout(timer);
  }

  /** Lets go of the leash. */
  kill(): void {
    this.#child.stdin?.destroy();
  }
}

/** A request before the line that says so would hang. What comes after it is of no interest, but must be read. */
async function listening(stdout: Readable | null): Promise<string | undefined> {
  if (!stdout) return undefined;
  for await (const line of readLines(stdout)) {
    const url = LISTENING.exec(line)?.[1];
    if (url) {
      stdout.resume();
      return url;
    }
  }
  return undefined;
}

function lastWords(stderr: Readable | null): () => string {
  let text = "";
  stderr?.setEncoding("utf8").on("data", (chunk: string) => {
    text = (text + chunk).slice(-COMPLAINT_CHARS);
  });
  return () => text.trim();
}

function endOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    child.once("exit", (code, signal) => resolve(describeExit(code, signal)));
    child.once("error", (error) => resolve(error.message));
  });
}

function late(): Promise<undefined> {
  return new Promise((resolve) => setTimeout(() => resolve(undefined), START_MS).unref());
}

/** Asked for any port OpenCode takes a fixed one, which another may have. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  if (address === null || typeof address === "string") throw new Error("No port.");
  return address.port;
}
