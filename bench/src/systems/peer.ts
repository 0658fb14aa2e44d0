import { once } from "node:events";
import { WebSocket } from "ws";
import { type Child, startChild, workerdBelow } from "../child.ts";
import type { ReaderPlan } from "../readers/protocol.ts";
import { freePort } from "./free-port.ts";
import { postRequest } from "./http-request.ts";
import { deltaEvent, type FedSession, type System, type SystemName } from "./system.ts";

export type PeerOptions = {
  name: SystemName;
  program: string;
  env: Record<string, string>;
  /** Whether it is workerd below the program that does the work. */
  workerd: boolean;
  /** How its reader number `index` of a session is let in; a POST for an SSE stream unless said otherwise. */
  plan?: (place: { port: number; session: string; index: number }) => ReaderPlan;
  /** Whether the turn is begun over the feed, once all readers are there, and not by the first reader. */
  beginsOverFeed?: boolean;
};

/** A server of another make: fed over a socket for each session at `/feed/ID`, read at `/chat/ID`. */
export class Peer implements System {
  readonly name: SystemName;
  readonly #options: PeerOptions;
  readonly #port: number;
  readonly #child: Child;
  #sessions = 0;

  private constructor(options: PeerOptions, port: number, child: Child) {
    this.name = options.name;
    this.#options = options;
    this.#port = port;
    this.#child = child;
  }

  static async start(options: PeerOptions): Promise<Peer> {
    const port = await freePort();
    const child = await startChild(options.program, { ...options.env, BENCH_PORT: String(port) });
    return new Peer(options, port, child);
  }

  get pid(): number {
    return this.#options.workerd ? workerdBelow(this.#child) : (this.#child.process.pid ?? 0);
  }

  open(count: number): Promise<FedSession[]> {
    return Promise.all(Array.from({ length: count }, () => this.#openSession(`session-${++this.#sessions}`)));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#child.stop();
  }

  async #openSession(session: string): Promise<FedSession> {
    const socket = new WebSocket(`ws://127.0.0.1:${this.#port}/feed/${session}`, { perMessageDeflate: false });
    await once(socket, "open");
    const plan = this.#options.plan ?? chatPlan;
    return {
      plan: (index) => plan({ port: this.#port, session, index }),
      begun: async () => {
        if (!this.#options.beginsOverFeed) return;
        socket.send('[{"type":"begin"}]');
        await once(socket, "message");
      },
      send: (deltas) => socket.send(`[${deltas.map((delta) => deltaEvent(session, delta)).join(",")}]`),
      finish: () => socket.send('[{"type":"message.finalize"}]'),
      backlog: () => socket.bufferedAmount,
      close: () => socket.terminate(),
    };
  }
}

function chatPlan({ port, session }: { port: number; session: string }): ReaderPlan {
  const message = { id: "prompt-1", role: "user", parts: [{ type: "text", text: "go" }] };
  const request = postRequest(`/chat/${session}`, { id: session, messages: [message] });
  return { port, request, transport: "sse" };
}
