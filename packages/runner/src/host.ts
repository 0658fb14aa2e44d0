import { mkdirSync, readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { type HostCommand, poolCommand } from "@agent-ops/shared/frames";
import type { AgentClient, AgentContext } from "./agent-client.ts";
import type { Clock } from "./clock.ts";
import type { Log } from "./log.ts";
import { loadOutbox } from "./outbox-file.ts";
import { SessionRunner } from "./session-runner.ts";
import { ReconnectingSocket } from "./socket.ts";

const OUTBOX_SUFFIX = ".jsonl";
/** Session ids become names of files. */
const SESSION_ID = /^[A-Za-z0-9_-]{1,128}$/;
const FAREWELL_MS = 200;

export interface HostOptions {
  /** The worker's address, `ws://` or `wss://`. */
  baseUrl: string;
  token: string;
  dataDir: string;
  workspacesDir: string;
  agents: readonly string[];
  createAgent(name: string, context: AgentContext): AgentClient;
  clock: Clock;
  log: Log;
}

/** A runner host: joins the pool, and runs the sessions it is given (RUN1). */
export class Host {
  #options: HostOptions;
  #runners = new Map<string, SessionRunner>();
  #outboxDir: string;
  #socket: ReconnectingSocket;

  constructor(options: HostOptions) {
    this.#options = options;
    this.#outboxDir = join(options.dataDir, "outbox");
    mkdirSync(this.#outboxDir, { recursive: true, mode: 0o700 });
    const { baseUrl, token, clock, log } = options;
    this.#socket = new ReconnectingSocket({
      url: `${baseUrl}/api/runner/host`,
      token,
      clock,
      log,
      onOpen: () => this.#joined(),
      onItems: (items) => {
        for (const item of items) this.#take(item);
      },
      onClose: () => "retry",
    });
  }

  async stop(): Promise<void> {
    const runners = [...this.#runners.values()];
    this.#runners.clear();
    await Promise.all([this.#socket.close(FAREWELL_MS), ...runners.map((runner) => runner.stop())]);
  }

  #joined(): void {
    const sessions = [...new Set([...this.#runners.keys(), ...this.#undelivered()])];
    this.#options.log.info("host.joined", { sessions: sessions.length });
    this.#say({ type: "hello", agents: [...this.#options.agents], sessions });
    for (const runner of this.#runners.values()) runner.wake();
  }

  /** Sessions of which an earlier process left events behind. */
  #undelivered(): string[] {
    const files = readdirSync(this.#outboxDir).filter((name) => name.endsWith(OUTBOX_SUFFIX));
    const closed = files.filter((name) => !this.#runners.has(basename(name, OUTBOX_SUFFIX)));
    const held = closed.filter((name) => loadOutbox(join(this.#outboxDir, name)).entries.length > 0);
    return held.map((name) => basename(name, OUTBOX_SUFFIX));
  }

  #take(item: unknown): void {
    const parsed = poolCommand.safeParse(item);
    if (!parsed.success) return this.#options.log.error("pool.unreadable", { issues: parsed.error.issues.length });
    if (parsed.data.type === "open") this.#open(parsed.data.sessionId, parsed.data.epoch);
  }

  #open(sessionId: string, epoch: number): void {
    if (!SESSION_ID.test(sessionId)) return this.#options.log.error("pool.bad_session_id");
    const running = this.#runners.get(sessionId);
    if (running) running.open(epoch);
    else this.#runners.set(sessionId, this.#startRunner(sessionId, epoch));
  }

  #startRunner(sessionId: string, epoch: number): SessionRunner {
    const { baseUrl, token, workspacesDir, createAgent, clock, log } = this.#options;
    return new SessionRunner({
      sessionId,
      epoch,
      baseUrl,
      token,
      outboxPath: join(this.#outboxDir, `${sessionId}${OUTBOX_SUFFIX}`),
      workspace: join(workspacesDir, sessionId),
      createAgent,
      clock,
      log: log.with({ sessionId }),
      onEnd: (why) => {
        this.#runners.delete(sessionId);
        // A lost lease is no longer this host's to give back; the session may be on its way here under a new one.
        if (why !== "lease") this.#say({ type: "closed", sessionId });
      },
    });
  }

  #say(command: HostCommand): void {
    this.#socket.send(JSON.stringify(command));
  }
}
