import { CLOSE, parseJsonFrame } from "@agent-ops/shared/frames";
import { FIXED_TIMES } from "@agent-ops/shared/limits";
import { WebSocket } from "ws";
import type { Clock } from "./clock.ts";
import { describeError, type Log } from "./log.ts";

const FIRST_RETRY_MS = 100;
const LAST_RETRY_MS = 2_000;
const SILENCE_MS = 2.5 * FIXED_TIMES.heartbeatMs;
const HANDSHAKE_MS = 5_000;
const PING = JSON.stringify({ type: "ping" });

/** The worker does not know this token. */
export const REFUSED = 4401;
/** Its answers to an upgrade, as the codes with which it closes sockets. */
const CODE_OF_ERROR: Record<string, number> = {
  not_found: CLOSE.gone,
  conflict: CLOSE.taken,
  unauthorized: REFUSED,
  forbidden: REFUSED,
};
const ABNORMAL = 1006;

export interface SocketOptions {
  url: string;
  token: string;
  clock: Clock;
  log: Log;
  onOpen(): void;
  onItems(items: unknown[]): void;
  /** Called for every lost or failed connection; says whether to try again. */
  onClose(code: number): "retry" | "stop";
  /** Asked at every heartbeat; a socket that is not well is cut, and opened again. */
  isWell?(): boolean;
}

/** A socket to the worker that comes back after every loss, and notices a silent one. */
export class ReconnectingSocket {
  #options: SocketOptions;
  #socket: WebSocket | undefined;
  #failures = 0;
  #timers = new Map<"retry" | "beat" | "silence", () => void>();

  constructor(options: SocketOptions) {
    this.#options = options;
    this.#connect();
  }

  /** Sends on the open connection; what cannot be sent is the caller's to send again after `onOpen`. */
  send(text: string): void {
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(text);
  }

  /** Tries again now instead of later. */
  wake(): void {
    if (this.#timers.has("retry")) this.#connect();
  }

  /** Ends it for good; resolves when what was sent has left or `ms` have passed. */
  close(ms: number, code = 1000): Promise<void> {
    const socket = this.#socket;
    this.#forget();
    if (!socket) return Promise.resolve();
    return new Promise((resolve) => {
      const cancel = this.#options.clock.after(ms, () => socket.terminate());
      socket.once("close", () => {
        cancel();
        resolve();
      });
      if (socket.readyState === WebSocket.OPEN) socket.close(code);
      else socket.terminate();
    });
  }

  #connect(): void {
    this.#cancel("retry");
    const socket = new WebSocket(this.#options.url, {
      headers: { authorization: `Bearer ${this.#options.token}` },
      perMessageDeflate: false,
      handshakeTimeout: HANDSHAKE_MS,
    });
    this.#socket = socket;
    const loss = { code: ABNORMAL, cause: "" };
    const ifCurrent = (run: () => void) => {
      if (this.#socket === socket) run();
    };
    socket.on("open", () => ifCurrent(() => this.#opened()));
    socket.on("message", (data) => ifCurrent(() => this.#received(String(data))));
    socket.on("unexpected-response", (_request, response) => {
      loss.code = CODE_OF_ERROR[String(response.headers["x-error-code"])] ?? ABNORMAL;
      loss.cause = `HTTP ${response.statusCode}`;
      socket.terminate();
    });
    // `close` always follows a failure, and deals with it.
    socket.on("error", (error) => {
      loss.cause ||= describeError(error);
    });
    socket.on("close", (code) => {
      if (code !== ABNORMAL) loss.code = code;
      ifCurrent(() => this.#closed(loss));
    });
  }

  #opened(): void {
    this.#expectSound();
    this.#beat();
    this.#options.onOpen();
  }

  #received(text: string): void {
    this.#failures = 0;
    this.#expectSound();
    const items = parseJsonFrame(text);
    if (items) this.#options.onItems(items);
    else this.#options.log.error("socket.unreadable", { bytes: text.length });
  }

  #closed(loss: { code: number; cause: string }): void {
    this.#forget();
    if (this.#failures === 0) this.#options.log.info("socket.closed", loss);
    if (this.#options.onClose(loss.code) === "stop") return;
    const delay = Math.min(FIRST_RETRY_MS * 2 ** this.#failures, LAST_RETRY_MS);
    this.#failures += 1;
    this.#arm("retry", delay * (0.25 + Math.random() / 2), () => this.#connect());
  }

  #beat(): void {
    this.#arm("beat", FIXED_TIMES.heartbeatMs, () => {
      if (this.#options.isWell?.() === false) return this.#socket?.terminate();
      this.send(PING);
      this.#beat();
    });
  }

  #expectSound(): void {
    this.#arm("silence", SILENCE_MS, () => this.#socket?.terminate());
  }

  #forget(): void {
    this.#socket = undefined;
    for (const cancel of this.#timers.values()) cancel();
    this.#timers.clear();
  }

  #arm(name: "retry" | "beat" | "silence", ms: number, run: () => void): void {
    this.#cancel(name);
    const cancel = this.#options.clock.after(ms, () => {
      this.#timers.delete(name);
      run();
    });
    this.#timers.set(name, cancel);
  }

  #cancel(name: "retry" | "beat" | "silence"): void {
    this.#timers.get(name)?.();
    this.#timers.delete(name);
  }
}
