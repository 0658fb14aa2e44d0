import { once } from "node:events";
import { mintToken } from "@agent-ops/cli/tokens";
import type { PoolCommand, PromptCommand, RunnerCommand } from "@agent-ops/shared/frames";
import { WebSocket } from "ws";
import { readSecrets } from "./secrets.ts";

const PING_MS = 5_000;

/** What the agent of a stage says: to a prompt, and when it is asked what it changed or what it thinks of that. */
export type Play = {
  prompt: (turn: { turnId: string; text: string }) => object[];
  diff?: object[];
  review?: object;
};

/** A runner host whose one agent says what is in the play, at once. */
export class StagedAgent {
  /** What it was asked. */
  readonly heard: PromptCommand[] = [];
  readonly #url: string;
  readonly #headers: Record<string, string>;
  readonly #play: Play;
  readonly #control: WebSocket;
  readonly #sockets = new Set<WebSocket>();
  readonly #pings: NodeJS.Timeout;

  private constructor(place: { url: string; headers: Record<string, string> }, play: Play) {
    this.#url = place.url;
    this.#headers = place.headers;
    this.#play = play;
    this.#control = new WebSocket(`${place.url}/api/runner/host`, { headers: place.headers });
    this.#control.on("message", (data) => {
      const commands: PoolCommand[] = JSON.parse(String(data));
      for (const command of commands) if (command.type === "open") this.#open(command.sessionId, command.epoch);
    });
    this.#pings = setInterval(() => this.#tell({ type: "ping" }), PING_MS).unref();
  }

  static async join(product: { url: string; data: string }, agent: string, play: Play): Promise<StagedAgent> {
    const token = await mintToken(readSecrets(product.data).auth, agent, { audience: "agent-ops:runner", ttl: "1h" });
    const place = { url: product.url.replace("http", "ws"), headers: { authorization: `Bearer ${token}` } };
    const stage = new StagedAgent(place, play);
    await once(stage.#control, "open");
    const welcomed = once(stage.#control, "message");
    stage.#tell({ type: "hello", agents: [agent], sessions: [], isolation: "none" });
    await welcomed;
    return stage;
  }

  leave(): void {
    clearInterval(this.#pings);
    for (const socket of this.#sockets) socket.close();
    this.#control.close();
  }

  #open(sessionId: string, epoch: number): void {
    const path = `/api/runner/sessions/${sessionId}?epoch=${epoch}`;
    const socket = new WebSocket(this.#url + path, { headers: this.#headers });
    this.#sockets.add(socket);
    let seq = 1;
    const say = (...events: object[]) => {
      socket.send(JSON.stringify({ epoch, seq, events }));
      seq += events.length;
    };
    socket.on("message", (data) => {
      const commands: RunnerCommand[] = JSON.parse(String(data));
      for (const command of commands) this.#onCommand(command, say);
    });
  }

  #onCommand(command: RunnerCommand, say: (...events: object[]) => void): void {
    if (command.type === "prompt") {
      this.heard.push(command);
      say(...this.#play.prompt(command));
    }
    if (command.type === "diff") say({ type: "diff", requestId: command.requestId, files: this.#play.diff ?? [] });
    if (command.type === "review" && this.#play.review) {
      say({ type: "review-result", requestId: command.requestId, ...this.#play.review });
    }
    if (command.type === "answer") {
      const { turnId } = command;
      say(
        { type: "message.part.text-delta", turnId, delta: "Thank you." },
        { type: "message.finalize", turnId, reason: "end_turn" },
      );
    }
  }

  #tell(command: object): void {
    if (this.#control.readyState === WebSocket.OPEN) this.#control.send(JSON.stringify([command]));
  }
}
