import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { mintToken } from "@agent-ops/cli/tokens";
import { z } from "zod";
import { type Child, startChild, workerdBelow } from "../child.ts";
import type { ReaderPlan } from "../readers/protocol.ts";
import { freePort } from "./free-port.ts";
import { getRequest, postRequest, upgradeRequest } from "./http-request.ts";
import { RunnerHost, type RunnerManner } from "./runner.ts";
import type { FedSession, System, SystemName } from "./system.ts";

const ROOT = resolve(import.meta.dirname, "../../..");
const USER = "bench";
const OPENING_AT_ONCE = 20;

const secretsFile = z.object({ auth: z.string() });
const sessionView = z.object({ id: z.string() });
const workerReady = z.object({ type: z.literal("ready") });

/** What `agent-ops start` builds before it starts anything. */
export function buildProduct(): void {
  execFileSync(process.execPath, [join(ROOT, "packages/cli/src/main.ts"), "build"], { stdio: "inherit" });
}

/** The product's worker as `agent-ops start` runs it, with a runner host of the bench's own. */
export class Product {
  readonly port: number;
  readonly pid: number;
  readonly #child: Child;
  readonly #data: string;
  readonly #token: string;
  readonly #host: RunnerHost;
  #stopped: Promise<void> | undefined;

  private constructor(place: { port: number; child: Child; data: string; token: string; host: RunnerHost }) {
    this.port = place.port;
    this.#child = place.child;
    this.#data = place.data;
    this.#token = place.token;
    this.#host = place.host;
    this.pid = workerdBelow(place.child);
  }

  /** With a port for it, a debugger can look into the worker. */
  static async start(inspectorPort?: number): Promise<Product> {
    await using undo = new AsyncDisposableStack();
    const data = mkdtempSync(join(tmpdir(), "agent-ops-bench-"));
    undo.defer(() => rmSync(data, { recursive: true, force: true }));
    const port = await freePort();
    const settings = { host: "127.0.0.1", port, data, bindings: { ACTS_PER_SECOND: "1000000" }, inspectorPort };
    const program = join(ROOT, "packages/cli/src/worker-process.ts");
    const child = await startChild(program, { AGENT_OPS_WORKER: JSON.stringify(settings), AGENT_OPS_PARENT: "1" });
    undo.defer(() => child.stop());
    workerReady.parse(child.ready);
    const { auth } = secretsFile.parse(JSON.parse(readFileSync(join(data, "private/secrets.json"), "utf8")));
    const token = await mintToken(auth, USER, { audience: "agent-ops", ttl: "12h" });
    const runnerToken = await mintToken(auth, "bench", { audience: "agent-ops:runner", ttl: "12h" });
    const host = await RunnerHost.join(`ws://127.0.0.1:${port}`, runnerToken);
    undo.defer(() => host.close());
    const product = new Product({ port, child, data, token, host });
    undo.move();
    return product;
  }

  /** The product read over SSE, or over its own WebSocket. */
  system(name: Extract<SystemName, "adapter" | "socket">): System {
    return { name, pid: this.pid, open: (sessions) => this.open(sessions, name) };
  }

  async open(count: number, reading: "adapter" | "socket", manner: RunnerManner = "fed"): Promise<ProductSession[]> {
    this.#host.manner = manner;
    const ids: string[] = [];
    const create = async () => {
      while (ids.length < count) {
        const place = ids.push("") - 1;
        ids[place] = await this.#create();
      }
    };
    await Promise.all(Array.from({ length: OPENING_AT_ONCE }, create));
    const access = { port: this.port, token: this.#token, host: this.#host, reading };
    return ids.map((id) => new ProductSession(id, access));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopped ??= this.#stop();
    await this.#stopped;
  }

  async #stop(): Promise<void> {
    this.#host.close();
    await this.#child.stop();
    rmSync(this.#data, { recursive: true, force: true });
  }

  async #create(): Promise<string> {
    const response = await fetch(`http://127.0.0.1:${this.port}/api/sessions`, {
      method: "POST",
      headers: { authorization: `Bearer ${this.#token}` },
      body: JSON.stringify({ agent: "bench" }),
    });
    if (!response.ok) throw new Error(`No session: ${response.status} ${await response.text()}`);
    return sessionView.parse(await response.json()).id;
  }
}

type Access = { port: number; token: string; host: RunnerHost; reading: "adapter" | "socket" };

export class ProductSession implements FedSession {
  readonly id: string;
  readonly #access: Access;
  #runner: Awaited<ReturnType<RunnerHost["session"]>> | undefined;
  #prompts = 0;

  constructor(id: string, access: Access) {
    this.id = id;
    this.#access = access;
  }

  plan(index: number): ReaderPlan {
    const { port, token, reading } = this.#access;
    const headers = { authorization: `Bearer ${token}` };
    const path = `/api/sessions/${this.id}`;
    if (reading === "socket") {
      const greeting = JSON.stringify({ type: "prompt", id: "prompt-1", text: "go" });
      const request = upgradeRequest(`${path}/ws?since=0`, headers);
      return { port, request, transport: "socket", acknowledges: true, ...(index === 0 ? { greeting } : {}) };
    }
    const request = index === 0 ? this.promptRequest() : getRequest(`${path}/chat/${this.id}/stream`, headers);
    return { port, request, transport: "sse" };
  }

  /** A new prompt, and the request to read its turn. */
  promptRequest(): string {
    const headers = { authorization: `Bearer ${this.#access.token}` };
    return postRequest(`/api/sessions/${this.id}/chat`, this.#promptBody(), headers);
  }

  /** A new prompt; all of its stream. */
  async chat(): Promise<string> {
    const response = await fetch(`http://127.0.0.1:${this.#access.port}/api/sessions/${this.id}/chat`, {
      method: "POST",
      headers: { authorization: `Bearer ${this.#access.token}`, "content-type": "application/json" },
      body: JSON.stringify(this.#promptBody()),
    });
    return response.text();
  }

  async begun(): Promise<void> {
    this.#runner = await this.#access.host.session(this.id);
    await this.#runner.begun;
  }

  send(deltas: readonly string[]): void {
    this.#runner?.sendDeltas(deltas);
  }

  finish(): void {
    this.#runner?.finish();
  }

  backlog(): number {
    return this.#runner?.backlog ?? 0;
  }

  close(): void {
    this.#access.host.release(this.id);
  }
  #promptBody() {
    const message = { id: `prompt-${++this.#prompts}`, role: "user", parts: [{ type: "text", text: "go" }] };
    return { id: this.id, messages: [message] };
  }
}
