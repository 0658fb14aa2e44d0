import { type ChildProcess, execFileSync, fork } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";

const STOP_MS = 5_000;
/** What is kept of a child's complaints; workerd tells every connection that was closed on it. */
const SAID_CHARS = 2_000;

export type Child = {
  process: ChildProcess;
  /** Its first message. */
  ready: unknown;
  stop(): Promise<void>;
};

/** Starts a program of ours and waits for its first message. It ends by itself when this process is gone. */
export async function startChild(program: string, env: Record<string, string> = {}): Promise<Child> {
  const child = fork(program, [], { env: { ...process.env, ...env }, stdio: ["ignore", "ignore", "pipe", "ipc"] });
  const stop = () => stopChild(child);
  let said = "";
  child.stderr?.on("data", (text) => {
    said = (said + text).slice(-SAID_CHARS);
  });
  const [ready] = await Promise.race([once(child, "message"), once(child, "exit").then(() => [undefined])]);
  if (ready !== undefined) return { process: child, ready, stop };
  throw new Error(`${program} ended before it was ready. ${said}`);
}

/** What it started itself is ended too: workerd may outlive a polite request while a stream is open. */
async function stopChild(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const below = descendants(child.pid);
  const gone = once(child, "exit");
  child.kill("SIGTERM");
  await Promise.race([gone, delay(STOP_MS, undefined, { ref: false })]);
  child.kill("SIGKILL");
  const left = new Map(allProcesses().map(({ pid, command }) => [pid, command]));
  for (const { pid, command } of below) if (left.get(pid) === command) process.kill(pid, "SIGKILL");
}

export function workerdBelow(child: Child): number {
  const found = descendants(child.process.pid ?? 0).find(({ command }) => command.includes("workerd"));
  if (!found) throw new Error("There is no workerd.");
  return found.pid;
}

type Running = { pid: number; parent: number; command: string };

function allProcesses(): Running[] {
  const lines = execFileSync("ps", ["-eo", "pid=,ppid=,args="], { encoding: "utf8" }).trim().split("\n");
  return lines.flatMap((line) => {
    const match = /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line);
    return match ? [{ pid: Number(match[1]), parent: Number(match[2]), command: match[3] ?? "" }] : [];
  });
}

function descendants(pid: number): Running[] {
  const all = allProcesses();
  const below = (parent: number): Running[] =>
    all.filter((entry) => entry.parent === parent).flatMap((entry) => [entry, ...below(entry.pid)]);
  return below(pid);
}

/** Resident memory of a process, in KB. */
export function residentKb(pid: number): number {
  return Number(execFileSync("ps", ["-o", "rss=", "-p", String(pid)], { encoding: "utf8" }).trim());
}

/** Seconds of processor time a process has used, all threads together; NaN where the system does not tell. */
export function processorSeconds(pid: number): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.split(" ") ?? [];
    return (Number(fields[11]) + Number(fields[12])) / 100;
  } catch {
    return Number.NaN;
  }
}
