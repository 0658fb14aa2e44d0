import { mintToken } from "@agent-ops/cli/tokens";
import type { RunnerCommand } from "@agent-ops/shared/frames";
import { Api } from "./api.ts";
import { FrameSocket } from "./frame-socket.ts";
import { readSecrets } from "./secrets.ts";

/** A runner host of a test: it is given sessions, and does with them what the test says, be it nothing. */
export class FakeHost {
  readonly #api: Api;
  readonly #socket: FrameSocket;

  private constructor(api: Api, socket: FrameSocket) {
    this.#api = api;
    this.#socket = socket;
  }

  static async join(product: { url: string; data: string }, name: string, agent = "demo"): Promise<FakeHost> {
    const options = { audience: "agent-ops:runner", ttl: "1h" } as const;
    const api = new Api(product.url, await mintToken(readSecrets(product.data).auth, name, options));
    const socket = await FrameSocket.open(api, "/api/runner/host");
    const hello = { type: "hello", agents: [agent], sessions: [], isolation: "none" };
    await socket.ask(JSON.stringify([hello, { type: "ping" }]), isPong);
    return new FakeHost(api, socket);
  }

  /** The lease under which the session is given to this host. */
  async given(sessionId: string): Promise<number> {
    const [frame] = (await this.#socket.until((text) => text.includes(sessionId))).slice(-1);
    const [open]: { epoch: number }[] = JSON.parse(frame ?? "[]");
    if (!open) throw new Error("The pool sent an empty frame.");
    return open.epoch;
  }

  async open(sessionId: string): Promise<FakeRunner> {
    const epoch = await this.given(sessionId);
    return new FakeRunner(await FrameSocket.open(this.#api, `/api/runner/sessions/${sessionId}?epoch=${epoch}`), epoch);
  }

  leave(): void {
    this.#socket.socket.close();
  }
}

/** A runner's socket to one session. */
export class FakeRunner {
  readonly #socket: FrameSocket;
  readonly #epoch: number;

  constructor(socket: FrameSocket, epoch: number) {
    this.#socket = socket;
    this.#epoch = epoch;
  }

  /** The first command of a kind. */
  async command<T extends RunnerCommand["type"]>(type: T): Promise<Extract<RunnerCommand, { type: T }>> {
    const found = () => this.#commands().find((command) => command.type === type);
    await this.#socket.until(() => found() !== undefined);
    return found() as Extract<RunnerCommand, { type: T }>; // of the type that was looked for
  }

  /** Sends events numbered from `seq` and waits until the session has taken the frame. */
  async send(seq: number, ...events: object[]): Promise<void> {
    const frame = JSON.stringify([{ epoch: this.#epoch, seq, events }, { type: "ping" }]);
    await this.#socket.ask(frame, isPong);
  }

  /** Sends frames as fast as the network takes them, and waits until the session has taken the last. */
  async flood(seq: number, frames: readonly object[][]): Promise<void> {
    let next = seq;
    for (const events of frames) {
      this.#socket.socket.send(JSON.stringify({ epoch: this.#epoch, seq: next, events }));
      next += events.length;
    }
    await this.#socket.ask('{"type":"ping"}', isPong);
  }

  leave(): void {
    this.#socket.socket.close();
  }

  #commands(): RunnerCommand[] {
    return this.#socket.frames.flatMap((frame): RunnerCommand[] => JSON.parse(frame));
  }
}

function isPong(frame: string): boolean {
  return frame.includes('"pong"');
}
