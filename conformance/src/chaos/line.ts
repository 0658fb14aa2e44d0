import { once } from "node:events";
import { connect, createServer, type Server, type Socket } from "node:net";

/** A TCP line to a server that can break and stall. */
export class Line {
  readonly url: string;
  #server: Server;
  #target: number;
  #pairs = new Set<[Socket, Socket]>();
  #delays: number[] = [];

  private constructor(server: Server, port: number, target: number) {
    this.#server = server;
    this.#target = target;
    this.url = `http://127.0.0.1:${port}`;
    server.on("connection", (socket) => this.#onConnection(socket));
  }

  static async to(url: string): Promise<Line> {
    const server = createServer({ pauseOnConnect: true }).listen(0, "127.0.0.1");
    await once(server, "listening");
    const address = server.address();
    if (address === null || typeof address === "string") throw new Error("No port.");
    return new Line(server, address.port, Number(new URL(url).port));
  }

  /** Breaks what is open. The connections that follow come through so much later each, and so out of order. */
  cut(delays: readonly number[] = []): void {
    this.#delays = [...delays];
    for (const pair of this.#pairs) for (const socket of pair) socket.resetAndDestroy();
  }

  /** Nothing passes for a while, in either direction. */
  stall(ms: number): void {
    const pairs = [...this.#pairs];
    for (const [near, far] of pairs) {
      near.unpipe(far);
      far.unpipe(near);
    }
    setTimeout(() => pairs.forEach(join), ms);
  }

  close(): void {
    this.cut();
    this.#server.close();
  }

  #onConnection(near: Socket): void {
    near.on("error", () => undefined); // `close` follows
    setTimeout(() => {
      if (near.destroyed) return;
      const far = connect(this.#target, "127.0.0.1");
      far.on("error", () => undefined);
      const pair: [Socket, Socket] = [near, far];
      this.#pairs.add(pair);
      for (const socket of pair) socket.once("close", () => this.#end(pair));
      join(pair);
    }, this.#delays.shift() ?? 0);
  }

  #end(pair: [Socket, Socket]): void {
    this.#pairs.delete(pair);
    for (const socket of pair) socket.destroy();
  }
}

function join([near, far]: [Socket, Socket]): void {
  if (near.destroyed || far.destroyed) return;
  near.pipe(far);
  far.pipe(near);
}
