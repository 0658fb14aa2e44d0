import { randomBytes, timingSafeEqual } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { ToolServer } from "../agent-client.ts";
import type { Desk } from "./desk.ts";
import { McpEndpoint } from "./endpoint.ts";

const PASSWORD_BYTES = 32;
const PATH = /^\/sessions\/([\w-]{1,128})\/mcp$/;

interface Entry {
  password: string;
  endpoint: McpEndpoint;
}

/** The MCP server that the runner offers its agents: on loopback, each session with a password of its own. */
export class ToolHost {
  #entries = new Map<string, Entry>();
  #server: Promise<Server> | undefined;

  /** A session's address; the server starts with the first of them. */
  async open(sessionId: string, desk: Desk): Promise<ToolServer> {
    this.#server ??= this.#listen();
    const port = portOf(await this.#server);
    const known = this.#entries.get(sessionId);
    const password = known?.password ?? randomBytes(PASSWORD_BYTES).toString("base64url");
    this.#entries.set(sessionId, { password, endpoint: new McpEndpoint(desk) });
    return { url: `http://127.0.0.1:${port}/sessions/${sessionId}/mcp`, password };
  }

  close(sessionId: string): void {
    this.#entries.delete(sessionId);
  }

  async #listen(): Promise<Server> {
    const server = createServer((request, response) => this.#take(server, request, response)).listen(0, "127.0.0.1");
    await once(server, "listening");
    // The runner ends when it has nothing else to do.
    server.unref();
    return server;
  }

  #take(server: Server, request: IncomingMessage, response: ServerResponse): void {
    const entry = this.#entryFor(request);
    if (request.headers.host !== `127.0.0.1:${portOf(server)}` || request.headers.origin !== undefined) {
      return refuse(response, 403);
    }
    if (!entry || !hasPassword(request, entry.password)) return refuse(response, 401);
    if (request.method !== "POST") return refuse(response, 405);
    // An agent that leaves in the middle of a request hurts nobody else.
    response.on("error", () => {});
    entry.endpoint.take(request, response).catch(() => response.destroy());
  }

  #entryFor({ url = "" }: IncomingMessage): Entry | undefined {
    const sessionId = PATH.exec(url)?.[1];
    return sessionId === undefined ? undefined : this.#entries.get(sessionId);
  }
}

function portOf(server: Server): number {
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The tool server has no port.");
  return address.port;
}

function hasPassword({ headers }: IncomingMessage, password: string): boolean {
  const given = Buffer.from(headers.authorization ?? "");
  const wanted = Buffer.from(`Bearer ${password}`);
  return given.length === wanted.length && timingSafeEqual(given, wanted);
}

function refuse(response: ServerResponse, status: number): void {
  response.writeHead(status).end();
}
