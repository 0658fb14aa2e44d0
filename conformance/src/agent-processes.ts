import { readdirSync, readFileSync, readlinkSync } from "node:fs";

/** A process that works in a session's folder, as the system sees it. */
export type AgentProcess = { pid: number; uid: number; environ: string; command: string };

/** What runs below a folder. */
export function processesIn(folder: string): AgentProcess[] {
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  return pids.flatMap((pid) => {
    try {
      if (!readlinkSync(`/proc/${pid}/cwd`).startsWith(folder)) return [];
      const uid = /^Uid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
      const read = (file: string) => readFileSync(`/proc/${pid}/${file}`, "utf8");
      return [
        {
          pid: Number(pid),
          uid: Number(uid),
          environ: read("environ"),
          command: read("cmdline").replaceAll("\0", " "),
        },
      ];
    } catch {
      return []; // gone in the meantime, or not ours to see
    }
  });
}
