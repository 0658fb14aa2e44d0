import { once } from "node:events";
import { WebSocket } from "ws";

/** An address, and the headers with which somebody comes to it, as an `Api` has them. */
type Caller = { url: string; headers: Record<string, string> };

/** A WebSocket that sends whatever it is given, right or wrong. */
export class FrameSocket {
  readonly frames: string[] = [];
  readonly socket: WebSocket;
  /** The code with which it was closed. */
  readonly closed: Promise<number>;

  private constructor(socket: WebSocket) {
    this.socket = socket;
    socket.on("message", (data) => this.frames.push(String(data)));
    socket.on("error", () => undefined); // `close` follows
    this.closed = new Promise((resolve) => socket.once("close", resolve));
  }

  /** Waits until it is open; throws where the upgrade is refused. */
  static async open(api: Caller, path: string, headers: Record<string, string> = {}): Promise<FrameSocket> {
    const url = api.url.replace("http", "ws") + path;
    const opened = new FrameSocket(new WebSocket(url, { headers: { ...api.headers, ...headers } }));
    await once(opened.socket, "open");
    return opened;
  }

  get isOpen(): boolean {
    return this.socket.readyState === WebSocket.OPEN;
  }

  /** Sends a frame and gives those that come afterwards, up to the first one that fits. */
  async ask(frame: string | Uint8Array, fits: (frame: string) => boolean): Promise<string[]> {
    const start = this.frames.length;
    this.socket.send(frame);
    return this.until(fits, start);
  }

  async until(fits: (frame: string) => boolean, start = 0): Promise<string[]> {
    for (;;) {
      const at = this.frames.findIndex((frame, index) => index >= start && fits(frame));
      if (at >= 0) return this.frames.slice(start, at + 1);
      await Promise.race([once(this.socket, "message"), this.closed.then(throwClosed)]);
    }
  }
}

function throwClosed(code: number): never {
  throw new Error(`The socket was closed with ${code}.`);
}
