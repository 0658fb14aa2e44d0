import { readdirSync, readFileSync, readlinkSync } from "node:fs";

/** A process that works in a session's folder, as the system sees it. */
export type AgentProcess = { pid: number; uid: number; environ: string };

/** What runs below a folder. */
export function processesIn(folder: string): AgentProcess[] {
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  return pids.flatMap((pid) => {
    try {
      if (!readlinkSync(`/proc/${pid}/cwd`).startsWith(folder)) return [];
      const uid = /^Uid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
      return [{ pid: Number(pid), uid: Number(uid), environ: readFileSync(`/proc/${pid}/environ`, "utf8") }];
    } catch {
      return []; // gone in the meantime, or not ours to see
    }
  });
}
