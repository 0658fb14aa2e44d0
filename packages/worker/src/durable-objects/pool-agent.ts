import { DurableObject } from "cloudflare:workers";
import { type HostCommand, hostCommand, type PoolCommand, parseJsonFrame } from "@agent-ops/shared/frames";
import { z } from "zod";
import type { Env } from "../env.ts";
import { logWarning } from "../lib/log.ts";

const attachment = z.object({ host: z.string() });
const assignment = z.object({ session_id: z.string(), epoch: z.number() });

/** Knows the runner hosts that are connected and gives each session that asks to one of them. */
export class PoolAgent extends DurableObject<Env> {
  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    ctx.storage.sql.exec(
      "CREATE TABLE IF NOT EXISTS assignments (session_id TEXT PRIMARY KEY, epoch INTEGER NOT NULL, host TEXT)",
    );
  }

  /** A session wants a runner under this lease. Where no host is there, the next one that joins takes it. */
  open(sessionId: string, epoch: number): void {
    const host = this.#leastLoaded();
    this.ctx.storage.sql.exec(
      "INSERT OR REPLACE INTO assignments (session_id, epoch, host) VALUES (?, ?, ?)",
      sessionId,
      epoch,
      host ?? null,
    );
    if (host !== undefined) this.#tell(host, { type: "open", sessionId, epoch });
  }

  release(sessionId: string): void {
    this.ctx.storage.sql.exec("DELETE FROM assignments WHERE session_id = ?", sessionId);
  }

  override fetch(request: Request): Response {
    const host = new URL(request.url).searchParams.get("host") ?? "";
    const [client, server] = Object.values(new WebSocketPair());
    if (!client || !server) return new Response(null, { status: 500 });
    for (const older of this.ctx.getWebSockets(host)) older.close(1000, "The host opened another socket.");
    this.ctx.acceptWebSocket(server, [host]);
    server.serializeAttachment({ host });
    return new Response(null, { status: 101, webSocket: client });
  }

  override webSocketMessage(socket: WebSocket, frame: string | ArrayBuffer): void {
    const { host } = attachment.parse(socket.deserializeAttachment());
    for (const raw of parseJsonFrame(String(frame)) ?? []) {
      const command = hostCommand.safeParse(raw);
      if (command.success) this.#onCommand(host, command.data);
      else logWarning("unknown command from a runner host", { host });
    }
  }

  #onCommand(host: string, command: HostCommand): void {
    switch (command.type) {
      case "hello":
        return this.#onHello(host);
      case "closed":
        this.ctx.storage.sql.exec("DELETE FROM assignments WHERE session_id = ? AND host = ?", command.sessionId, host);
        return;
      case "ping":
        return this.#tell(host, { type: "pong" });
      default:
        return command satisfies never;
    }
  }

  /** Its own sessions, and those that nobody has taken. */
  #onHello(host: string): void {
    const { sql } = this.ctx.storage;
    const rows = sql
      .exec("UPDATE assignments SET host = ? WHERE host IS NULL OR host = ? RETURNING session_id, epoch", host, host)
      .toArray();
    for (const row of z.array(assignment).parse(rows)) {
      this.#tell(host, { type: "open", sessionId: row.session_id, epoch: row.epoch });
    }
  }

  #leastLoaded(): string | undefined {
    const loads = this.ctx.storage.sql.exec("SELECT host, count(*) AS load FROM assignments GROUP BY host").toArray();
    const loadOf = new Map(loads.map((row) => [row.host, Number(row.load)]));
    const hosts = this.ctx.getWebSockets().map((socket) => attachment.parse(socket.deserializeAttachment()).host);
    return hosts.toSorted((a, b) => (loadOf.get(a) ?? 0) - (loadOf.get(b) ?? 0))[0];
  }

  #tell(host: string, command: PoolCommand): void {
    for (const socket of this.ctx.getWebSockets(host)) socket.send(JSON.stringify([command]));
  }
}
