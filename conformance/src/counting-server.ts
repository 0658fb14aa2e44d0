import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { text } from "node:stream/consumers";

/** A server that counts what web pages tell it, as PostHog does, and keeps all of it. */
export class CountingServer {
  readonly origin: string;
  readonly received: { path: string; headers: string; body: string }[] = [];
  readonly #server: Server;

  private constructor(server: Server, origin: string) {
    this.#server = server;
    this.origin = origin;
    server.on("request", async (request, response) => {
      const body = await text(request);
      this.received.push({ path: request.url ?? "", headers: JSON.stringify(request.headers), body });
      response.end("{}");
    });
  }

  static async open(): Promise<CountingServer> {
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    const address = server.address();
    if (address === null || typeof address === "string") throw new Error("No port.");
    return new CountingServer(server, `http://127.0.0.1:${address.port}`);
  }

  /** The names of what was told, in their order. */
  get events(): string[] {
    return this.received.map(({ body }) => JSON.parse(body).event);
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }
}
