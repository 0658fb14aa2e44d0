import { chmodSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import { CLOSE, type HostCommand, type Isolation, type PoolCommand, poolCommand } from "@agent-ops/shared/frames";
import type { AgentClient, AgentContext } from "./agent-client.ts";
import type { AgentPlaces } from "./agent-places.ts";
import type { Clock } from "./clock.ts";
import { describeError, type Log } from "./log.ts";
import { loadOutbox } from "./outbox-file.ts";
import { SessionRunner } from "./session-runner.ts";
import { REFUSED, ReconnectingSocket } from "./socket.ts";
import type { Workspaces } from "./workspace/workspaces.ts";

const OUTBOX_SUFFIX = ".jsonl";
/** Session ids become names of files. */
const SESSION_ID = /^[A-Za-z0-9_-]{1,128}$/;
const FAREWELL_MS = 200;

export interface HostOptions {
  /** The worker's address, `ws://` or `wss://`. */
  baseUrl: string;
  token: string;
  /** Tells it apart from other hosts with the same token. */
  name?: string | undefined;
  capacity?: number | undefined;
  dataDir: string;
  places: AgentPlaces;
  workspaces: Workspaces;
  isolation: Isolation;
  /** Values that no event may show. */
  secrets?: ReadonlySet<string>;
  agents: readonly string[];
  createAgent(name: string, context: AgentContext): AgentClient;
  clock: Clock;
  log: Log;
  /** The pool has taken it in, for the first time or again. */
  onJoined(): void;
  /** It may not come back: its token is not good, or another host has its name. */
  onShutOut(why: "token" | "name"): void;
}

/** A runner host: joins the pool, and runs the sessions it is given (RUN1). */
export class Host {
  #options: HostOptions;
  #runners = new Map<string, SessionRunner>();
  /** Leases of sessions that were given to this host again before it had ended them. */
  #next = new Map<string, number>();
  #outboxDir: string;
  #socket: ReconnectingSocket;
  #leaving = false;

  constructor(options: HostOptions) {
    this.#options = options;
    this.#outboxDir = join(options.dataDir, "outbox");
    mkdirSync(this.#outboxDir, { recursive: true, mode: 0o700 });
    chmodSync(options.dataDir, 0o700);
    const { baseUrl, token, name, clock, log } = options;
    this.#socket = new ReconnectingSocket({
      url: `${baseUrl}/api/runner/host${name === undefined ? "" : `?name=${encodeURIComponent(name)}`}`,
      token,
      clock,
      log,
      onOpen: () => this.#joined(),
      onItems: (items) => {
        for (const item of items) this.#take(item);
      },
      onClose: (code) => this.#closed(code),
    });
  }

  /** Takes nothing new; lets what runs come to its end while patience lasts, and then ends it. */
  async leave(patience: AbortSignal): Promise<void> {
    this.#leaving = true;
    this.#say({ type: "draining" });
    await Promise.all([...this.#runners].map(([sessionId, runner]) => this.#release(sessionId, runner, patience)));
    await this.#socket.close(FAREWELL_MS);
  }

  /** What was not acknowledged stays on disk, and the session stays this host's until it is back or given up. */
  async #release(sessionId: string, runner: SessionRunner, patience: AbortSignal): Promise<void> {
    const delivered = await runner.leave(patience);
    if (delivered) this.#say({ type: "closed", sessionId, epoch: runner.epoch });
  }

  #joined(): void {
    const { agents, capacity, isolation, log } = this.#options;
    const sessions = [...new Set([...this.#runners.keys(), ...this.#undelivered()])];
    log.info("host.joined", { sessions: sessions.length });
    this.#say({ type: "hello", agents: [...agents], sessions, isolation, ...(capacity ? { capacity } : {}) });
    if (this.#leaving) this.#say({ type: "draining" });
    for (const runner of this.#runners.values()) runner.wake();
  }

  #closed(code: number): "retry" | "stop" {
    if (code !== REFUSED && code !== CLOSE.taken) return "retry";
    this.#options.onShutOut(code === REFUSED ? "token" : "name");
    return "stop";
  }

  /** Sessions of which an earlier process left events behind. */
  #undelivered(): string[] {
    const files = readdirSync(this.#outboxDir).filter((name) => name.endsWith(OUTBOX_SUFFIX));
    const closed = files.filter((name) => !this.#runners.has(basename(name, OUTBOX_SUFFIX)));
    const held = closed.filter((name) => loadOutbox(join(this.#outboxDir, name)).entries.length > 0);
    return held.map((name) => basename(name, OUTBOX_SUFFIX));
  }

  #take(item: unknown): void {
    const { log, onJoined } = this.#options;
    const parsed = poolCommand.safeParse(item);
    if (!parsed.success) return log.error("pool.unreadable", { issues: parsed.error.issues.length });
    const command = parsed.data;
    if ("sessionId" in command && !SESSION_ID.test(command.sessionId)) return log.error("pool.bad_session_id");
    switch (command.type) {
      case "open":
        return this.#open(command.sessionId, command.epoch);
      case "close":
      case "forget":
        return this.#inBackground(this.#drop(command));
      case "welcome":
        return onJoined();
      case "pong":
        return;
      default:
        return command satisfies never;
    }
  }

  /** A host that leaves does not answer: the pool gives the session to another when this one has gone. */
  #open(sessionId: string, epoch: number): void {
    if (this.#leaving) return;
    const running = this.#runners.get(sessionId);
    if (!running) this.#runners.set(sessionId, this.#startRunner(sessionId, epoch));
    else if (!running.open(epoch)) this.#next.set(sessionId, epoch);
  }

  async #drop({ type, sessionId }: Extract<PoolCommand, { type: "close" | "forget" }>): Promise<void> {
    this.#next.delete(sessionId);
    await this.#runners.get(sessionId)?.drop();
    rmSync(this.#outboxPath(sessionId), { force: true });
    if (type === "close") return;
    const { places, workspaces } = this.#options;
    await workspaces.remove(sessionId, places.workspaceOf(sessionId)).catch((error: unknown) => this.#failed(error));
    await places.remove(sessionId);
    this.#say({ type: "forgotten", sessionId });
  }

  #startRunner(sessionId: string, epoch: number): SessionRunner {
    const { baseUrl, token, name, places, workspaces, secrets, createAgent, clock, log } = this.#options;
    return new SessionRunner({
      sessionId,
      epoch,
      baseUrl,
      token,
      hostName: name,
      outboxPath: this.#outboxPath(sessionId),
      place: () => places.prepare(sessionId),
      workspaces,
      ...(secrets ? { secrets } : {}),
      createAgent,
      clock,
      log: log.with({ sessionId }),
      onEnd: (why) => this.#ended(sessionId, why),
    });
  }

  /** A lost lease is no longer this host's to give back; the session may be on its way here under a new one. */
  #ended(sessionId: string, why: "released" | "lease" | "gone"): void {
    const epoch = this.#runners.get(sessionId)?.epoch ?? 0;
    const next = this.#next.get(sessionId);
    this.#runners.delete(sessionId);
    this.#next.delete(sessionId);
    if (next !== undefined) this.#open(sessionId, next);
    else if (why !== "lease") this.#say({ type: "closed", sessionId, epoch });
  }

  #outboxPath(sessionId: string): string {
    return join(this.#outboxDir, `${sessionId}${OUTBOX_SUFFIX}`);
  }

  #say(command: HostCommand): void {
    this.#socket.send(JSON.stringify(command));
  }

  #inBackground(work: Promise<void>): void {
    work.catch((error: unknown) => this.#failed(error));
  }

  #failed(error: unknown): void {
    this.#options.log.error("host.drop_failed", { cause: describeError(error) });
  }
}
