import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { mintToken } from "@agent-ops/cli/tokens";
import type { PoolCommand, RunnerCommand } from "@agent-ops/shared/frames";
import type { Answer } from "@agent-ops/shared/questions";
import { WebSocket } from "ws";
import { readSecrets } from "./secrets.ts";

const PING_MS = 8_000;

/**
 * A runner host whose agent does what a test says and nothing else: a turn begins with an echo of its prompt, and then
 * waits until the test lets it ask or end. No processes, no clocks: what happens in a session is known at every step.
 */
export class ObedientHost {
  /** The name of an agent that no other host has. */
  readonly agent: string;
  readonly #url: string;
  readonly #headers: Record<string, string>;
  readonly #control: WebSocket;
  readonly #runners = new Map<string, ObedientRunner>();
  readonly #pings: NodeJS.Timeout;

  private constructor(place: { agent: string; url: string; headers: Record<string, string> }, control: WebSocket) {
    this.agent = place.agent;
    this.#url = place.url;
    this.#headers = place.headers;
    this.#control = control;
    this.#pings = setInterval(() => this.#tell({ type: "ping" }), PING_MS).unref();
    control.on("message", (data) => {
      const commands: PoolCommand[] = JSON.parse(String(data));
      for (const command of commands) this.#onCommand(command);
    });
  }

  static async join(product: { url: string; data: string }): Promise<ObedientHost> {
    const agent = `obedient-${randomUUID().slice(0, 8)}`;
    const token = await mintToken(readSecrets(product.data).auth, agent, { audience: "agent-ops:runner", ttl: "1h" });
    const headers = { authorization: `Bearer ${token}` };
    const url = product.url.replace("http", "ws");
    const control = new WebSocket(`${url}/api/runner/host`, { headers });
    await once(control, "open");
    const host = new ObedientHost({ agent, url, headers }, control);
    const welcomed = once(control, "message");
    host.#tell({ type: "hello", agents: [agent], sessions: [], isolation: "none" });
    await welcomed;
    return host;
  }

  /** The runner of a session, if it has come to this host. */
  runner(sessionId: string): ObedientRunner | undefined {
    return this.#runners.get(sessionId);
  }

  leave(): void {
    clearInterval(this.#pings);
    for (const runner of this.#runners.values()) runner.close();
    this.#control.close();
  }

  #onCommand(command: PoolCommand): void {
    if (command.type === "open") {
      const path = `/api/runner/sessions/${command.sessionId}?epoch=${command.epoch}`;
      const socket = new WebSocket(this.#url + path, { headers: this.#headers });
      const { sessionId, epoch } = command;
      const onRelease = () => this.#tell({ type: "closed", sessionId, epoch });
      this.#runners.get(sessionId)?.close();
      this.#runners.set(sessionId, new ObedientRunner(socket, epoch, onRelease));
    }
    if (command.type !== "close" && command.type !== "forget") return;
    const epoch = this.#runners.get(command.sessionId)?.epoch ?? 0;
    this.#runners.get(command.sessionId)?.close();
    this.#runners.delete(command.sessionId);
    this.#tell({ type: "closed", sessionId: command.sessionId, epoch });
  }

  #tell(command: object): void {
    if (this.#control.readyState === WebSocket.OPEN) this.#control.send(JSON.stringify([command]));
  }
}

/** One session's agent. */
export class ObedientRunner {
  readonly epoch: number;
  /** What people answered, in the order in which it came. */
  readonly answers: { questionId: string; answer: Answer }[] = [];
  readonly #socket: WebSocket;
  readonly #onRelease: () => void;
  #turnId: string | undefined;
  #seq = 1;

  constructor(socket: WebSocket, epoch: number, onRelease: () => void) {
    this.epoch = epoch;
    this.#socket = socket;
    this.#onRelease = onRelease;
    socket.on("error", () => undefined); // `close` follows
    socket.on("message", (data) => {
      const commands: RunnerCommand[] = JSON.parse(String(data));
      for (const command of commands) this.#onCommand(command);
    });
  }

  /** The turn that waits for the test. */
  get turnId(): string | undefined {
    return this.#turnId;
  }

  ask(question: { questionId: string; kind: string; prompt: string; [key: string]: unknown }): void {
    this.#send({ type: "question", turnId: this.#turnId, ...question });
  }

  end(reason: "end_turn" | "canceled" = "end_turn"): void {
    const turnId = this.#turnId;
    this.#turnId = undefined;
    this.#send({ type: "message.finalize", turnId, reason });
  }

  close(): void {
    this.#socket.close();
  }

  #onCommand(command: RunnerCommand): void {
    if (command.type === "prompt") this.#begin(command.turnId, command.text);
    if (command.type === "answer") this.answers.push({ questionId: command.questionId, answer: command.answer });
    if (command.type === "abort" && command.turnId === this.#turnId) this.end("canceled");
    if (command.type !== "release") return;
    this.close();
    this.#onRelease();
  }

  #begin(turnId: string, text: string): void {
    this.#turnId = turnId;
    this.#send(
      { type: "message.create", turnId },
      { type: "message.part.text-delta", turnId, delta: `You said: ${text}` },
    );
  }

  #send(...events: object[]): void {
    this.#socket.send(JSON.stringify([{ epoch: this.epoch, seq: this.#seq, events }]));
    this.#seq += events.length;
  }
}
