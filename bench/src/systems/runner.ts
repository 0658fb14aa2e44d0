import { once } from "node:events";
import { type PoolCommand, poolCommand, type RunnerCommand, runnerCommand } from "@agent-ops/shared/frames";
import { FIXED_TIMES } from "@agent-ops/shared/limits";
import { WebSocket } from "ws";
import { deltaEvent } from "./system.ts";

const DELTAS_OF_A_SHORT_ANSWER = 5;

/** RUN7, POOL3: whoever is silent for long is given up. */
function beat(socket: WebSocket): void {
  const timer = setInterval(() => {
    if (socket.readyState === WebSocket.OPEN) socket.send('{"type":"ping"}');
  }, FIXED_TIMES.heartbeatMs);
  socket.on("close", () => clearInterval(timer));
}

/** What a runner does with a prompt: wait to be fed, or give a short answer at once. */
export type RunnerManner = "fed" | "answers";

/** One session as its runner sees it, under one lease. */
export class RunnerSession {
  #socket: WebSocket;
  readonly epoch: number;
  #manner: RunnerManner;
  #seq = 1;
  #turnId: string | undefined;
  #begun = Promise.withResolvers<void>();

  constructor(url: string, token: string, lease: { epoch: number; manner: RunnerManner }) {
    this.epoch = lease.epoch;
    this.#manner = lease.manner;
    this.#socket = new WebSocket(`${url}?epoch=${lease.epoch}`, {
      headers: { authorization: `Bearer ${token}` },
      perMessageDeflate: false,
    });
    this.#socket.on("message", (data) => {
      for (const item of JSON.parse(String(data))) this.#onCommand(runnerCommand.parse(item));
    });
    this.#socket.on("error", (error) => this.#begun.reject(error));
    this.#begun.promise.catch(() => undefined); // told to whoever waits for it; nobody may
    beat(this.#socket);
  }

  get begun(): Promise<void> {
    return this.#begun.promise;
  }

  get backlog(): number {
    return this.#socket.bufferedAmount;
  }

  sendDeltas(deltas: readonly string[]): void {
    const turnId = this.#turnId ?? "";
    this.#send(deltas.map((delta) => deltaEvent(turnId, delta)));
  }

  finish(): void {
    this.#send([JSON.stringify({ type: "message.finalize", turnId: this.#turnId, reason: "end_turn" })]);
  }

  close(): void {
    this.#socket.terminate();
  }

  #onCommand(command: RunnerCommand): void {
    if (command.type === "prompt") this.#onPrompt(command.turnId);
    else if (command.type === "abort") {
      this.#send([JSON.stringify({ type: "message.finalize", turnId: command.turnId, reason: "canceled" })]);
    } else if (command.type === "error" || command.type === "refused") throw new Error(command.message);
  }

  #onPrompt(turnId: string): void {
    this.#turnId = turnId;
    this.#send([JSON.stringify({ type: "message.create", turnId })]);
    if (this.#manner === "answers") {
      this.sendDeltas(Array.from({ length: DELTAS_OF_A_SHORT_ANSWER }, (_, index) => `word ${index} `));
      this.finish();
    }
    this.#begun.resolve();
  }

  #send(events: readonly string[]): void {
    this.#socket.send(`{"epoch":${this.epoch},"seq":${this.#seq},"events":[${events.join(",")}]}`);
    this.#seq += events.length;
  }
}

/** A runner host without agents: joins the pool and takes every session it is given. */
export class RunnerHost {
  manner: RunnerManner = "fed";
  #url: string;
  #token: string;
  #socket: WebSocket;
  #sessions = new Map<string, RunnerSession>();
  #awaited = new Map<string, PromiseWithResolvers<RunnerSession>>();

  private constructor(url: string, token: string, socket: WebSocket) {
    this.#url = url;
    this.#token = token;
    this.#socket = socket;
    socket.on("message", (data) => {
      for (const item of JSON.parse(String(data))) this.#onCommand(poolCommand.parse(item));
    });
  }

  static async join(url: string, token: string): Promise<RunnerHost> {
    const socket = new WebSocket(`${url}/api/runner/host`, { headers: { authorization: `Bearer ${token}` } });
    await once(socket, "open");
    const host = new RunnerHost(url, token, socket);
    beat(socket);
    socket.send(JSON.stringify({ type: "hello", agents: ["bench"], sessions: [] }));
    await once(socket, "message");
    return host;
  }

  /** The session's runner, once the session has asked for one. */
  session(id: string): Promise<RunnerSession> {
    const found = this.#sessions.get(id);
    if (found) return Promise.resolve(found);
    const awaited = this.#awaited.get(id) ?? Promise.withResolvers<RunnerSession>();
    this.#awaited.set(id, awaited);
    return awaited.promise;
  }

  release(id: string): void {
    const session = this.#sessions.get(id);
    if (!session) return;
    session.close();
    this.#sessions.delete(id);
    this.#socket.send(JSON.stringify({ type: "closed", sessionId: id, epoch: session.epoch }));
  }

  close(): void {
    for (const session of this.#sessions.values()) session.close();
    this.#socket.terminate();
  }

  #onCommand(command: PoolCommand): void {
    if (command.type !== "open") return;
    const url = `${this.#url}/api/runner/sessions/${command.sessionId}`;
    const session = new RunnerSession(url, this.#token, { epoch: command.epoch, manner: this.manner });
    this.#sessions.get(command.sessionId)?.close();
    this.#sessions.set(command.sessionId, session);
    this.#awaited.get(command.sessionId)?.resolve(session);
    this.#awaited.delete(command.sessionId);
  }
}
