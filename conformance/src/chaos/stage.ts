import { copyFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { processesIn } from "../agent-processes.ts";
import { Api } from "../api.ts";
import { isDead } from "../is-dead.ts";
import { descendant, Product } from "../product.ts";
import { RunnerHost, runnerToken } from "../runner-host.ts";
import { Cast } from "./actors/cast.ts";
import type { Host } from "./fault-plan.ts";
import { Line } from "./line.ts";
import type { Plan } from "./plan.ts";

const PEOPLE = ["bob", "carol", "dave"] as const;
const PROCESS_MS = 20_000;
/** Nobody stays away for good here, so nobody is given up, however slow the machine is. */
const PATIENCE = {
  hostLostMs: 120_000,
  hostSilentMs: 120_000,
  runnerLostMs: 120_000,
  noRunnerMs: 120_000,
  abortMs: 120_000,
};
const POLL_MS = 10;
const SEARCH_MS = 100;

/** The real product, a second runner host that joined over a line of ours, and everybody who uses it. */
export class Stage {
  readonly product: Product;
  readonly line: Line;
  readonly casts: Cast[] = [];
  readonly #host: RunnerHost;

  private constructor(product: Product, line: Line, host: RunnerHost) {
    this.product = product;
    this.line = line;
    this.#host = host;
  }

  static async open(plan: Plan, folder: string): Promise<Stage> {
    const product = await Product.start({ TIMES: JSON.stringify(PATIENCE) });
    const line = await Line.to(product.url);
    const host = await RunnerHost.join({ url: line.url, data: product.data }, runnerToken(product, "joined"));
    const stage = new Stage(product, line, host);
    try {
      for (const session of plan.sessions) stage.casts.push(await stage.#open(session, folder));
    } catch (error) {
      await stage.destroy();
      throw error;
    }
    return stage;
  }

  /** Where agents keep what they were given. */
  get homes(): string[] {
    return [this.product.data, this.#host.data].map((data) => join(data, "homes"));
  }

  /** Where a runner host keeps its sessions' files. */
  dataOf(host: Host): string {
    return host === "local" ? this.product.data : this.#host.data;
  }

  /**
   * kill -9 of workerd. What watches over it is held until `look` has seen the disk as the dead process left it; the
   * clients have then read all that it sent.
   */
  async killWorkerd(before: () => void, look: () => void): Promise<void> {
    const workerd = await found(() => this.product.workerdPid());
    const watcher = await found(() => this.product.workerPid());
    if (!signal(watcher, "SIGSTOP")) return this.killWorkerd(before, look);
    try {
      before();
      signal(workerd, "SIGKILL");
      await until(() => isDead(workerd));
      await until(() => this.casts.every(({ sockets }) => sockets.every(({ connected }) => !connected)));
      look();
    } finally {
      signal(watcher, "SIGCONT");
    }
  }

  /** `before` is called when it is about to die: it may have to be waited for. */
  async killRunner(host: Host, before: () => void): Promise<void> {
    const runner = await found(() => this.#runnerPid(host));
    before();
    if (!signal(runner, "SIGKILL")) await this.killRunner(host, before);
  }

  /** False where the session has no agent at present. */
  killAgent(cast: Cast): boolean {
    const folders = [this.product.data, this.#host.data].map((data) => join(data, "workspaces", cast.sessionId));
    const agents = folders.flatMap((folder) => processesIn(folder));
    return agents.filter(({ pid }) => signal(pid, "SIGKILL")).length > 0;
  }

  /** Until some agent streams, so that a kill has something to hit. */
  async untilStreaming(ms: number): Promise<void> {
    const since = performance.now();
    await until(() => this.casts.some(({ watch }) => watch.lastDeltaAt > since), ms);
  }

  /** What the product wrote about itself, for whoever looks into a failure. */
  keepLog(folder: string): void {
    copyFileSync(join(this.product.data, "private/agent-ops.log"), join(folder, "agent-ops.log"));
  }

  async close(): Promise<void> {
    for (const cast of this.casts) cast.stop();
    await this.product.stop();
    this.line.close();
  }

  async destroy(): Promise<void> {
    await this.close();
    await this.#host.destroy();
    rmSync(this.product.data, { recursive: true, force: true });
  }

  async #open(session: Plan["sessions"][number], folder: string): Promise<Cast> {
    const alice = await Api.of(this.product, "alice", "12h");
    const sessionId = await alice.createSession();
    const apis = { alice, bob: alice, carol: alice, dave: alice };
    for (const name of PEOPLE) {
      await alice.share(sessionId, name, "collaborator");
      apis[name] = await Api.of(this.product, name, "12h");
    }
    return new Cast(sessionId, apis, session, folder);
  }

  #runnerPid(host: Host): number {
    const { pid } = this.#host.child;
    return host === "local" ? this.product.runnerPid() : descendant(pid ?? 0, "runner/src/main.ts");
  }
}

/** False where the process has ended by itself by now. */
function signal(pid: number, name: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, name);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ESRCH") return false;
    throw error;
  }
}

/** A process that was killed a moment ago needs another one to be there again. */
async function found(find: () => number): Promise<number> {
  let why: unknown;
  for (const deadline = performance.now() + PROCESS_MS; performance.now() < deadline; await delay(SEARCH_MS)) {
    try {
      const pid = find();
      if (!isDead(pid)) return pid;
    } catch (error) {
      why = error;
    }
  }
  throw new Error("A process that was killed did not come back.", { cause: why });
}

async function until(condition: () => boolean, ms = 1_000): Promise<void> {
  const deadline = performance.now() + ms;
  while (!condition() && performance.now() < deadline) await delay(POLL_MS);
}
