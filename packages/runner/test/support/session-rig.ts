import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { systemClock } from "../../src/clock.ts";
import { createLog } from "../../src/log.ts";
import { loadOutbox } from "../../src/outbox-file.ts";
import { SessionRunner, type SessionRunnerOptions } from "../../src/session-runner.ts";
import { Workspaces } from "../../src/workspace/workspaces.ts";
import { eventually } from "./eventually.ts";
import { type Connection, FakeWorker } from "./fake-worker.ts";
import type { ManualClock } from "./manual-clock.ts";
import { ScriptedAgent } from "./scripted-agent.ts";
import { tempDir } from "./temp-dir.ts";

interface Rig {
  worker: FakeWorker;
  agent: ScriptedAgent;
  runner: SessionRunner;
  outboxPath: string;
  ends: string[];
  restart(change?: Partial<SessionRunnerOptions>): SessionRunner;
}

export async function startRig(change: Partial<SessionRunnerOptions> = {}): Promise<Rig> {
  const worker = await FakeWorker.start();
  const dir = tempDir();
  const agent = new ScriptedAgent();
  const outboxPath = join(dir, "s1.jsonl");
  const workspace = join(dir, "workspace");
  mkdirSync(workspace);
  const ends: string[] = [];
  const restart = (more: Partial<SessionRunnerOptions> = {}) => {
    const runner = new SessionRunner({
      sessionId: "s1",
      epoch: 1,
      baseUrl: worker.baseUrl,
      token: "runner-token",
      outboxPath,
      place: () => ({ workspace, home: dir }),
      workspaces: new Workspaces({ dir: join(dir, "workspaces"), roots: [] }),
      createAgent: () => agent,
      clock: systemClock,
      log: createLog(() => {}),
      onEnd: (why) => ends.push(why),
      ...change,
      ...more,
    });
    onTestFinished(async () => {
      await runner.leave(AbortSignal.abort());
    });
    return runner;
  };
  return { worker, agent, runner: restart(), outboxPath, ends, restart };
}

export function assign(
  connection: Connection,
  options: { acked?: number; turnId?: string; turnStarted?: boolean } = {},
): void {
  const { acked = 0, ...turn } = options;
  connection.send({ type: "assign", sessionId: "s1", epoch: 1, agent: "demo", ...turn }, { type: "ack", seq: acked });
}

export function prompt(connection: Connection, turnId: string, words = "hello"): void {
  connection.send({ type: "prompt", turnId, userId: "ada", text: words });
}

export function typesOf(connection: Connection): string[] {
  return connection.events().map(({ event }) => event.type);
}

export async function heldEvents(path: string, count: number): Promise<void> {
  await eventually(() => loadOutbox(path).entries.length).toBe(count);
}

/** Lets the time of a retry pass; says how many connections there have been. */
export function advanceUntilNext(clock: ManualClock, worker: FakeWorker): number {
  clock.advance(100);
  return worker.connections.length;
}
