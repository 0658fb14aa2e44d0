import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { freePort } from "../product.ts";
import { EVERYTHING } from "./configured.ts";

/** The reference MCP server over streamable HTTP. */
export class EverythingServer {
  readonly url: string;
  #child: ChildProcess;

  private constructor(child: ChildProcess, url: string) {
    this.#child = child;
    this.url = url;
  }

  static async start(): Promise<EverythingServer> {
    const port = await freePort();
    const child = spawn(EVERYTHING.command, [...EVERYTHING.args, "streamableHttp"], {
      env: { PATH: process.env.PATH, PORT: String(port) },
      stdio: ["ignore", "ignore", "pipe"],
    });
    for await (const line of createInterface(child.stderr)) {
      if (line.includes(`port ${port}`)) return new EverythingServer(child, `http://127.0.0.1:${port}/mcp`);
    }
    throw new Error("The reference MCP server did not start.");
  }

  async stop(): Promise<void> {
    const gone = once(this.#child, "exit");
    this.#child.kill("SIGKILL");
    await gone;
  }
}
