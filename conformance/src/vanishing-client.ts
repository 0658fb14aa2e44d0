import { createConnection, type Socket } from "node:net";
import type { Api } from "./api.ts";
import { FrameSocket } from "./frame-socket.ts";

/** How a client leaves: as a tab that is closed, or as a machine that fails. */
export type Leaving = "close" | "reset";

/** A request over a connection of its own, which can break off at any moment. */
export class VanishingRequest {
  readonly #socket: Socket;
  readonly closed: Promise<void>;
  received = "";

  constructor(api: Api, method: string, path: string, body = "", sent = body.length) {
    const { hostname, port } = new URL(api.url);
    this.#socket = createConnection(Number(port), hostname);
    this.closed = new Promise((resolve) => this.#socket.once("close", () => resolve()));
    this.#socket.on("error", () => undefined); // `close` follows
    this.#socket.on("data", (bytes) => {
      this.received += bytes;
    });
    const headers = { host: hostname, ...api.headers, "content-length": String(Buffer.byteLength(body)) };
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
    this.#socket.write(`${[`${method} ${path} HTTP/1.1`, ...lines].join("\r\n")}\r\n\r\n${body.slice(0, sent)}`);
  }

  vanish(leaving: Leaving): void {
    if (leaving === "close") this.#socket.destroy();
    else this.#socket.resetAndDestroy();
  }
}

/** A WebSocket that says at most one thing; the way to make it vanish. */
export async function vanishingSocket(
  api: Api,
  path: string,
  frame: string | undefined,
): Promise<(leaving: Leaving) => void> {
  const opened = await FrameSocket.open(api, path);
  if (frame !== undefined) opened.socket.send(frame);
  return (leaving) => (leaving === "close" ? opened.socket.close() : opened.socket.terminate());
}
