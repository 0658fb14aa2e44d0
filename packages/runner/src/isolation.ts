import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { AgentPlaces, spawnOptions } from "./agent-places.ts";
import { AgentUsers, type UserRange } from "./agent-users.ts";

const PROBE = fileURLToPath(new URL("./agents/probe-process.ts", import.meta.url));
const ROOT_USER = 0;
/** What the system says of a user that does not exist in this container. */
const NO_SUCH_USER = "EINVAL";

/** Numbers that no system gives to anybody; and fewer for a container, which has only the first 65,536. */
const RANGES: readonly UserRange[] = [
  { first: 1_900_000_000, count: 200_000_000 },
  { first: 20_000, count: 40_000 },
];

/** How this host keeps agents from what is not theirs. */
export type HostIsolation = { kind: "user"; users: AgentUsers } | { kind: "none"; reason: string };

interface HostFolders {
  workspacesDir: string;
  homesDir: string;
  /** What no agent may read. */
  dataDir: string;
}

/** Finds out by trying whether agents can run under users of their own here, and whether that keeps them out. */
export async function findIsolation(folders: HostFolders): Promise<HostIsolation> {
  if (process.getuid?.() !== ROOT_USER) return { kind: "none", reason: "the runner is not started as root" };
  let reason = "";
  for (const range of RANGES) {
    const users = new AgentUsers(range, [folders.workspacesDir, folders.homesDir]);
    const problem = await probe(folders, users);
    if (problem === undefined) return { kind: "user", users };
    reason = problem;
    if (!problem.includes(NO_SUCH_USER)) break;
  }
  return { kind: "none", reason };
}

/** Starts a program as an agent would be started; says what went wrong, or nothing. */
async function probe(folders: HostFolders, users: AgentUsers): Promise<string | undefined> {
  const places = new AgentPlaces({ ...folders, users });
  // Another host of this machine may try at the same moment, and ends what its own user runs.
  const id = `.probe-${randomUUID()}`;
  try {
    const place = places.prepare(id);
    const args = [PROBE, place.workspace, place.home, folders.dataDir, String(process.pid)];
    return await complaintOf(args, spawnOptions(place));
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  } finally {
    await places.remove(id);
  }
}

async function complaintOf(args: string[], options: ReturnType<typeof spawnOptions>): Promise<string | undefined> {
  const child = spawn(process.execPath, args, { ...options, stdio: ["ignore", "ignore", "pipe"] });
  const exited = new Promise<number | null>((resolve, reject) => {
    child.once("exit", resolve);
    child.once("error", reject);
  });
  const [code, complaint] = await Promise.all([exited, text(child.stderr)]);
  if (code === 0) return undefined;
  return /\bE[A-Z]+: .*/.exec(complaint)?.[0] ?? complaint.trim().split("\n")[0];
}
