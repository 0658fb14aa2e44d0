import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { connect, type Socket } from "node:net";

const CLOSE = 0x8;

/** A WebSocket client that never agrees to a close: it goes on sending for as long as somebody listens. */
export class StubbornSocket {
  readonly #socket: Socket;
  #received = Buffer.alloc(0);

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.on("data", (bytes) => {
      this.#received = Buffer.concat([this.#received, bytes]);
    });
    socket.on("error", () => undefined);
  }

  static async open(base: string, path: string, headers: Record<string, string>): Promise<StubbornSocket> {
    const { host, hostname, port } = new URL(base);
    const socket = connect(Number(port), hostname);
    const key = randomBytes(16).toString("base64");
    const upgrade = { connection: "Upgrade", upgrade: "websocket", "sec-websocket-version": "13" };
    const lines = Object.entries({ host, ...upgrade, "sec-websocket-key": key, ...headers });
    socket.write(`GET ${path} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join("")}\r\n`);
    const opened = new StubbornSocket(socket);
    await once(socket, "data");
    if (!opened.#received.toString("latin1").startsWith("HTTP/1.1 101")) throw new Error("The upgrade was refused.");
    return opened;
  }

  /** Whether the other side wants to close. */
  get wasToldToLeave(): boolean {
    const frames = this.#received.subarray(this.#received.indexOf("\r\n\r\n") + 4);
    return opcodesOf(frames).includes(CLOSE);
  }

  send(value: unknown): void {
    const body = Buffer.from(JSON.stringify(value));
    const mask = randomBytes(4);
    const size = Buffer.from([0x80 | 126, body.length >> 8, body.length & 0xff]);
    const masked = body.map((byte, index) => byte ^ (mask[index % 4] ?? 0));
    this.#socket.write(Buffer.concat([Buffer.from([0x81]), size, mask, masked]));
  }

  close(): void {
    this.#socket.destroy();
  }
}

function opcodesOf(bytes: Buffer): number[] {
  const found: number[] = [];
  for (let at = 0; at + 2 <= bytes.length; ) {
    const short = (bytes[at + 1] ?? 0) & 0x7f;
    const length =
      short === 126 ? bytes.readUInt16BE(at + 2) : short === 127 ? Number(bytes.readBigUInt64BE(at + 2)) : short;
    found.push((bytes[at] ?? 0) & 0xf);
    at += 2 + (short === 126 ? 2 : short === 127 ? 8 : 0) + length;
  }
  return found;
}
