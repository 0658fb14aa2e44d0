import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { AgentPlaces, type AgentUser, spawnOptions } from "./agent-places.ts";

const PROBE = fileURLToPath(new URL("./agents/probe-process.ts", import.meta.url));
const PROBE_ID = ".probe";
const ROOT_USER = 0;
/** What the system says of a user that does not exist in this container. */
const NO_SUCH_USER = "EINVAL";

type UserRange = { first: number; count: number };

/** Numbers that no system gives to anybody; and fewer for a container, which has only the first 65,536. */
const RANGES: readonly UserRange[] = [
  { first: 1_900_000_000, count: 200_000_000 },
  { first: 20_000, count: 40_000 },
];

/** How this host keeps agents from what is not theirs. */
export type HostIsolation = { kind: "user"; userOf(sessionId: string): AgentUser } | { kind: "none"; reason: string };

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
    const problem = await probe(folders, range);
    if (problem === undefined) return { kind: "user", userOf: (sessionId) => userIn(range, sessionId) };
    reason = problem;
    if (!problem.includes(NO_SUCH_USER)) break;
  }
  return { kind: "none", reason };
}

/** The same session has the same user for ever, so that what it wrote stays its own. */
function userIn({ first, count }: UserRange, sessionId: string): AgentUser {
  return { id: first + (createHash("sha256").update(sessionId).digest().readUInt32BE() % count) };
}

/** Starts a program as an agent would be started; says what went wrong, or nothing. */
async function probe(folders: HostFolders, range: UserRange): Promise<string | undefined> {
  const places = new AgentPlaces({ ...folders, userOf: (sessionId) => userIn(range, sessionId) });
  try {
    const place = places.prepare(PROBE_ID);
    const args = [PROBE, place.workspace, place.home, folders.dataDir, String(process.pid)];
    return await complaintOf(args, spawnOptions(place));
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  } finally {
    places.remove(PROBE_ID);
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
