import { readdirSync, readFileSync } from "node:fs";
import { type AgentUser, endProcessesOf } from "../agent-places.ts";

/**
 * Ends what a dead agent had started and what left its group: everything that has a variable of the agent's
 * environment. Where the system does not show environments nothing is found.
 */
export function endLeftovers(variable: string): void {
  endWhere((environment) => environment.includes(variable));
}

/** Ends what the agents of a runner that was killed left behind: everything that has its home in this folder. */
export function endLeftoversOf(homesDir: string): void {
  endWhere((environment) => environment.some((variable) => variable.startsWith(`HOME=${homesDir}/`)));
}

/** The same by user: whatever an agent did to its environment, it could not change whose it is. */
export async function endProcessesOfAll(users: readonly AgentUser[]): Promise<void> {
  const running = new Set(processes().map(userOf));
  for (const user of users) if (running.has(user.id)) await endProcessesOf(user);
}

function endWhere(isLeft: (environment: string[]) => boolean): void {
  for (const pid of processes()) if (isLeft(environmentOf(pid))) end(pid);
}

function processes(): number[] {
  try {
    return readdirSync("/proc").map(Number).filter(Number.isInteger);
  } catch {
    return []; // not Linux
  }
}

function environmentOf(pid: number): string[] {
  try {
    return readFileSync(`/proc/${pid}/environ`, "utf8").split("\0");
  } catch {
    return []; // gone in the meantime, or not ours to see
  }
}

function userOf(pid: number): number | undefined {
  try {
    const user = /^Uid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
    return user === undefined ? undefined : Number(user);
  } catch {
    return undefined; // gone in the meantime
  }
}

function end(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) throw error;
  }
}
