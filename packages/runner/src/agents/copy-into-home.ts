import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { type AgentPlace, spawnOptions } from "../agent-places.ts";

interface Copied {
  /** A folder of the host, and what of it is wanted. */
  from: string;
  name: string;
  /** Where it goes, below the agent's home. */
  to: string;
}

const UNPACK = 'mkdir -p "$1" && exec tar -xf - -C "$1"';

/**
 * Gives an agent a copy of files that it could not read where they are. They are read as the host and written as the
 * agent: its home is its own, and may have links in it that lead anywhere.
 */
export async function copyIntoHome({ from, name, to }: Copied, place: AgentPlace): Promise<void> {
  const pack = spawn("tar", ["-chf", "-", "--exclude=node_modules", "-C", from, name], {
    stdio: ["ignore", "pipe", "ignore"],
  });
  const unpack = spawn("/bin/sh", ["-c", UNPACK, "sh", join(place.home, to)], {
    ...spawnOptions(place),
    stdio: ["pipe", "ignore", "ignore"],
  });
  // A pipe that breaks says less than the program that broke it.
  const piped = pipeline(pack.stdout, unpack.stdin).catch(() => {});
  await Promise.all([piped, succeeded(pack), succeeded(unpack)]);
}

function succeeded(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => (code === 0 ? resolve() : reject(new Error(`The copy ended with code ${code}.`))));
  });
}
