import { once } from "node:events";
import { connect, type Socket } from "node:net";
import type { Api } from "./api.ts";

const LAST_CHUNK = "\r\n0\r\n\r\n";

/** A GET over a bare socket, read as slowly as a test likes; what is not read stays with the server. */
export class RawReader {
  #socket: Socket;
  #pieces: string[] = [];

  private constructor(socket: Socket) {
    this.#socket = socket;
  }

  /** Asks, and reads no more than the first piece of the answer. */
  static async open(api: Api, path: string): Promise<RawReader> {
    const { hostname, port } = new URL(api.url);
    const socket = connect(Number(port), hostname);
    const headers = Object.entries({ host: hostname, ...api.headers }).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.write(`GET ${path} HTTP/1.1\r\n${headers.join("")}\r\n`);
    const reader = new RawReader(socket);
    await once(socket, "readable");
    reader.#take();
    return reader;
  }

  /** What came so far, without the marks of its chunked transfer. */
  get text(): string {
    return this.#pieces.join("").replace(/\r\n(?:[0-9a-f]+\r\n)+/g, "");
  }

  /** Reads so many bytes a second, for a time. */
  async readSlowly(bytesPerSecond: number, seconds: number): Promise<void> {
    for (let ticks = 0; ticks < seconds * 10; ticks += 1) {
      this.#take(bytesPerSecond / 10);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }

  /** Reads all there is. */
  async readToEnd(): Promise<void> {
    while (!this.#pieces.slice(-LAST_CHUNK.length).join("").endsWith(LAST_CHUNK)) {
      if (!this.#take()) await once(this.#socket, "readable");
    }
    this.#socket.destroy();
  }

  #take(bytes?: number): boolean {
    const piece: Buffer | null = this.#socket.read(bytes);
    if (piece) this.#pieces.push(String(piece));
    return piece !== null;
  }
}
