import { once } from "node:events";
import { createServer, type Server } from "node:http";

/** Somebody else's web site: one page, with whatever it has in its body. */
export class ForeignPage {
  body = "";
  readonly origin: string;
  readonly #server: Server;

  private constructor(server: Server, origin: string) {
    this.#server = server;
    this.origin = origin;
    server.on("request", (_request, response) => {
      response.setHeader("content-type", "text/html; charset=utf-8");
      const icon = '<link rel="icon" href="data:,">';
      response.end(`<!doctype html><html lang="en"><title>Shop</title>${icon}<main><h1>Shop</h1></main>${this.body}`);
    });
  }

  static async open(): Promise<ForeignPage> {
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    const address = server.address();
    if (address === null || typeof address === "string") throw new Error("No port.");
    return new ForeignPage(server, `http://127.0.0.1:${address.port}`);
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }
}
