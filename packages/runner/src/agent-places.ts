import { type SpawnOptions, spawn } from "node:child_process";
import { chmodSync, lchownSync, lstatSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";

/** All that an agent gets to see of the runner's environment. */
const PASSED_ON = ["PATH", "LANG", "TZ"];
/** A folder that others may pass through but not list. */
const PASSABLE = 0o711;
const OWN = 0o700;

/** A user of the operating system whose group has the same number. */
export type AgentUser = { id: number };

/** Where an agent runs, and as whom; without a user of its own it runs as the runner does. */
export interface AgentPlace {
  /** The folder it works in. */
  workspace: string;
  /** The folder for what it keeps apart from its work. */
  home: string;
  user?: AgentUser;
}

interface PlacesOptions {
  workspacesDir: string;
  homesDir: string;
  userOf?(sessionId: string): AgentUser;
}

/** The folders of the sessions on this host. */
export class AgentPlaces {
  #options: PlacesOptions;

  constructor(options: PlacesOptions) {
    this.#options = options;
  }

  /** Makes what is missing, and gives it to the session's user. */
  prepare(sessionId: string): AgentPlace {
    const { workspacesDir, homesDir, userOf } = this.#options;
    const user = userOf?.(sessionId);
    for (const folder of [workspacesDir, homesDir]) {
      mkdirSync(folder, { recursive: true });
      if (user) chmodSync(folder, PASSABLE);
    }
    const { workspace, home } = this.#foldersOf(sessionId);
    for (const folder of [workspace, home, tempFolder(home)]) {
      mkdirSync(folder, { recursive: true, mode: OWN });
      if (user) give(folder, user);
    }
    return { workspace, home, ...(user ? { user } : {}) };
  }

  remove(sessionId: string): void {
    for (const folder of Object.values(this.#foldersOf(sessionId))) rmSync(folder, { recursive: true, force: true });
  }

  workspaceOf(sessionId: string): string {
    return this.#foldersOf(sessionId).workspace;
  }

  #foldersOf(sessionId: string): { workspace: string; home: string } {
    return { workspace: join(this.#options.workspacesDir, sessionId), home: join(this.#options.homesDir, sessionId) };
  }
}

/** How every process of an agent is started: apart from the runner's environment, folders and user. */
export function spawnOptions({ workspace, home, user }: AgentPlace) {
  const passed = Object.fromEntries(PASSED_ON.map((name) => [name, process.env[name]]));
  return {
    cwd: workspace,
    env: { ...passed, HOME: home, TMPDIR: tempFolder(home) },
    // A group of its own: Ctrl-C is the runner's to deal with, and whatever the agent started ends with it.
    detached: true,
    ...(user ? { uid: user.id, gid: user.id } : {}),
  } satisfies SpawnOptions;
}

/** Ends whatever a user runs, also what left its group. All but the sender get a signal that is sent to everybody. */
export function endProcessesOf(user: AgentUser): Promise<void> {
  const options = { uid: user.id, gid: user.id, cwd: "/", env: {}, stdio: "ignore" } as const;
  const sender = spawn("/bin/sh", ["-c", "kill -9 -1"], options);
  return new Promise((resolve) => sender.once("exit", () => resolve()).once("error", () => resolve()));
}

function tempFolder(home: string): string {
  return join(home, "tmp");
}

/** Changes the owner of a tree, and follows no link out of it. */
export function give(path: string, user: AgentUser): void {
  const found = lstatSync(path);
  if (found.uid === user.id) return;
  lchownSync(path, user.id, user.id);
  if (found.isDirectory()) for (const name of readdirSync(path)) give(join(path, name), user);
}
