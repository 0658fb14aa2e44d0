import { type SpawnOptions, spawn, spawnSync } from "node:child_process";
import { chmodSync, existsSync, lchownSync, lstatSync, mkdirSync } from "node:fs";
import { lchown, readdir, rm } from "node:fs/promises";
import { join } from "node:path";

/** All that an agent gets to see of the runner's environment. */
const PASSED_ON = ["PATH", "LANG", "TZ"];
/** A folder that others may pass through but not list. */
const PASSABLE = 0o711;
const OWN = 0o700;
const ROOT = 0;

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
  users?: SessionUsers | undefined;
}

/** Who runs each session's agent. */
export interface SessionUsers {
  of(sessionId: string): AgentUser;
  /** Nothing is left that is this session's. */
  forget(sessionId: string): void;
}

/** The folders of the sessions on this host. */
export class AgentPlaces {
  #options: PlacesOptions;

  constructor(options: PlacesOptions) {
    this.#options = options;
  }

  /**
   * Makes what is missing, and gives it to the session's user. Root touches the two folders alone, whose own places no
   * agent can change; what is in them is the agent's to make.
   */
  prepare(sessionId: string): AgentPlace {
    const { workspacesDir, homesDir, users } = this.#options;
    const user = users?.of(sessionId);
    for (const folder of [workspacesDir, homesDir]) {
      mkdirSync(folder, { recursive: true });
      if (user) chmodSync(folder, PASSABLE);
    }
    const { workspace, home } = this.#foldersOf(sessionId);
    for (const folder of [workspace, home]) {
      mkdirSync(folder, { recursive: true, mode: OWN });
      if (user && lstatSync(folder).uid === ROOT) lchownSync(folder, user.id, user.id);
    }
    makeTempFolder(home, user);
    return { workspace, home, ...(user ? { user } : {}) };
  }

  /** Nobody may change a folder while root takes it away. */
  async remove(sessionId: string): Promise<void> {
    const { users } = this.#options;
    const user = users?.of(sessionId);
    if (user) await endProcessesOf(user);
    for (const folder of Object.values(this.#foldersOf(sessionId))) await rm(folder, { recursive: true, force: true });
    users?.forget(sessionId);
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

/** In a folder that an agent can change a path may lead anywhere, so it is the agent who walks it. */
function makeTempFolder(home: string, user: AgentUser | undefined): void {
  const folder = tempFolder(home);
  if (!user) mkdirSync(folder, { recursive: true, mode: OWN });
  else if (!existsSync(folder)) {
    const as = { uid: user.id, gid: user.id, cwd: "/", env: { PATH: process.env.PATH }, stdio: "ignore" } as const;
    spawnSync("mkdir", ["-p", "-m", "700", folder], as);
  }
}

/**
 * Gives away a tree that only root can change. Nobody else can change a folder in it before all of it is given, since
 * the folder itself comes last.
 */
export async function give(folder: string, user: AgentUser): Promise<void> {
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    await (entry.isDirectory() ? give(path, user) : lchown(path, user.id, user.id));
  }
  await lchown(folder, user.id, user.id);
}
