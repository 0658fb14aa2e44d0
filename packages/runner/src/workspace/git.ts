import { type SpawnOptions, spawn } from "node:child_process";
import type { Readable } from "node:stream";

/** Nothing that a repository brings is run: no hook, no monitor, no program to show a difference. */
const QUIET = ["core.hooksPath=/dev/null", "core.fsmonitor=false", "core.pager=cat"];
const TIMEOUT_MS = 600_000;
const COMPLAINT_CHARS = 400;
const OUTPUT_BYTES = 16 * 1024 * 1024;

export class GitError extends Error {
  override name = "GitError";
}

/** How git is started: in which folder, with which environment, and as whom. */
export type GitOptions = Pick<SpawnOptions, "cwd" | "env" | "uid" | "gid"> & { signal?: AbortSignal };

/** Runs git and gives what it says. Arguments are passed as they are, never through a shell. */
export async function git(args: readonly string[], { env, ...options }: GitOptions): Promise<string> {
  const settings = QUIET.flatMap((setting) => ["-c", setting]);
  const child = spawn("git", [...settings, ...args], {
    ...options,
    env: { ...env, GIT_TERMINAL_PROMPT: "0", GIT_OPTIONAL_LOCKS: "0", LC_ALL: "C" },
    stdio: ["ignore", "pipe", "pipe"],
    timeout: TIMEOUT_MS,
  });
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once("close", resolve);
    child.once("error", reject);
  });
  const read = (stream: Readable) => readLimited(stream, () => child.kill("SIGKILL"));
  const [code, output, complaint] = await Promise.all([ended, read(child.stdout), read(child.stderr)]);
  if (code === 0) return output;
  throw new GitError(complaint.trim().slice(-COMPLAINT_CHARS) || `git ${args[0]} ended with code ${code}`);
}

/** A folder can hold more than memory does. */
async function readLimited(stream: Readable, onExcess: () => void): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of stream) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes <= OUTPUT_BYTES) continue;
    onExcess();
    throw new GitError("There are too many changes to show.");
  }
  return Buffer.concat(chunks).toString("utf8");
}
