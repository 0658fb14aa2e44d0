import { DurableObject } from "cloudflare:workers";
import { CLOSE, hostCommand, type Isolation, type PoolCommand, parseJsonFrame } from "@agent-ops/shared/frames";
import { z } from "zod";
import type { Env } from "../env.ts";
import { logError, logWarning } from "../lib/log.ts";
import { timesOf } from "../lib/times-of.ts";
import { PoolRoom, type Wish } from "./pool/pool-room.ts";

const attachment = z.object({ host: z.string() });
const COMMANDS_A_FRAME = 1000;
const TRY_AGAIN = 1012;

/** The pool as a Durable Object: a shell that lets hosts, sessions and alarms into its room. */
export class PoolAgent extends DurableObject<Env> {
  #room: PoolRoom;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    const { sql } = ctx.storage;
    this.#room = new PoolRoom({
      storage: {
        all: (query, ...bindings) => sql.exec(query, ...bindings).toArray(),
        transaction: (work) => ctx.storage.transactionSync(work),
      },
      times: timesOf(env),
      trustsAgents: env.TRUST_AGENTS === "true",
      now: () => Date.now(),
      setAlarm: (at) => void ctx.storage.setAlarm(at),
      isConnected: (host) => this.#open(host).length > 0,
      tell: (host, commands) => this.#tell(host, commands),
      cut: (host) => this.#close(host, TRY_AGAIN, "The host was not heard of in time."),
      runnerLost: (sessionId, epoch) => this.#tellLost(sessionId, epoch),
    });
  }

  open(sessionId: string, epoch: number, wish: Wish): void {
    this.#room.open(sessionId, epoch, wish);
  }

  forget(sessionId: string): void {
    this.#room.forget(sessionId);
  }

  holder(sessionId: string): string | undefined {
    return this.#room.holder(sessionId);
  }

  isolation(sessionId: string): Isolation {
    return this.#room.isolation(sessionId);
  }

  agents(): string[] {
    return this.#room.agents();
  }

  /** POOL4: of two hosts with one name the newer stays. */
  override fetch(request: Request): Response {
    const host = new URL(request.url).searchParams.get("host") ?? "";
    const [client, server] = Object.values(new WebSocketPair());
    if (!client || !server) return new Response(null, { status: 500 });
    this.#close(host, CLOSE.taken, "Another host has joined under this name.");
    this.ctx.acceptWebSocket(server, [host]);
    server.serializeAttachment({ host });
    return new Response(null, { status: 101, webSocket: client });
  }

  override webSocketMessage(socket: WebSocket, frame: string | ArrayBuffer): void {
    const host = hostOf(socket);
    for (const raw of parseJsonFrame(String(frame)) ?? []) {
      const command = hostCommand.safeParse(raw);
      if (command.success) this.#room.command(host, command.data);
      else logWarning("unknown command from a runner host", { host });
    }
  }

  override webSocketClose(socket: WebSocket): void {
    this.#room.left(hostOf(socket));
  }

  override webSocketError(socket: WebSocket): void {
    this.#room.left(hostOf(socket));
  }

  override alarm(): void {
    this.#room.onAlarm();
  }

  #open(host: string): WebSocket[] {
    return this.ctx.getWebSockets(host).filter(({ readyState }) => readyState === WebSocket.OPEN);
  }

  #close(host: string, code: number, reason: string): void {
    for (const socket of this.#open(host)) socket.close(code, reason);
  }

  #tell(host: string, commands: PoolCommand[]): void {
    for (let from = 0; from < commands.length; from += COMMANDS_A_FRAME) {
      const frame = JSON.stringify(commands.slice(from, from + COMMANDS_A_FRAME));
      for (const socket of this.#open(host)) socket.send(frame);
    }
  }

  /** A session that cannot be told notices by itself, only later. */
  #tellLost(sessionId: string, epoch: number): void {
    const told = this.env.SESSIONS.getByName(sessionId).runnerLost(epoch);
    this.ctx.waitUntil(told.catch((error) => logError("a session was not told of its lost runner", error)));
  }
}

function hostOf(socket: WebSocket): string {
  return attachment.parse(socket.deserializeAttachment()).host;
}
