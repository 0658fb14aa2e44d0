import { mkdirSync, readdirSync, renameSync, rmdirSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { TurnError } from "../agent-client.ts";
import { type AgentPlace, give } from "../agent-places.ts";
import { GitError, git } from "./git.ts";
import type { WorkspaceSource } from "./source.ts";

/** What is known of a session's folder beside what lies in it. */
export interface Checkout {
  kind: "empty" | "worktree" | "clone";
  /** The repository that a worktree belongs to. */
  repository?: string;
  branch?: string;
  baseBranch?: string;
  /** The commit from which changes are counted. */
  base?: string;
}

interface CheckoutOptions {
  source: WorkspaceSource;
  place: AgentPlace;
  sessionId: string;
  /** A folder for what git has to be told in a file. */
  settingsDir: string;
  signal: AbortSignal;
}

const BRANCH_CHARS = 12;
/** Agents of other sessions have no business in it. */
const OWN = 0o700;

/**
 * Fills a session's empty folder. A local repository becomes a worktree of it where the agent runs as the runner does;
 * an agent with a user of its own gets a clone, since who can write to a repository can make its owner run programs.
 */
export async function checkOut(options: CheckoutOptions): Promise<Checkout> {
  const { source, place } = options;
  if (source.kind === "empty") return { kind: "empty" };
  requireEmpty(place.workspace);
  try {
    return source.kind === "local" && !place.user ? await addWorktree(options, source) : await clone(options, source);
  } catch (error) {
    if (error instanceof GitError) throw new TurnError(`The workspace could not be made: ${error.message}`);
    throw error;
  }
}

/** A worktree is known to its repository, which has to forget it. A branch with work on it stays. */
export async function removeCheckout(checkout: Checkout, workspace: string, settingsDir: string): Promise<void> {
  const { repository, branch } = checkout;
  if (repository === undefined) return;
  const options = { cwd: repository, env: hostEnvironment(settingsDir) };
  await git(["worktree", "remove", "--force", "--", workspace], options);
  if (branch === undefined || (await git(["rev-parse", branch], options)).trim() !== checkout.base) return;
  await git(["branch", "-D", "--", branch], options);
}

type Repository = Exclude<WorkspaceSource, { kind: "empty" }>;

async function addWorktree(options: CheckoutOptions, { path, ref }: Repository & { kind: "local" }): Promise<Checkout> {
  const { place, sessionId, settingsDir, signal } = options;
  const run = (...args: string[]) => git(args, { cwd: path, env: hostEnvironment(settingsDir), signal });
  const branch = branchOf(sessionId);
  const baseBranch = ref ?? (await currentBranch(run));
  await run("worktree", "add", "-B", branch, "--", place.workspace, ref ?? "HEAD");
  const base = (await run("rev-parse", branch)).trim();
  return { kind: "worktree", repository: path, branch, base, ...(baseBranch ? { baseBranch } : {}) };
}

/** Made beside the folder and moved into its place when it is whole and the agent's own. */
async function clone(options: CheckoutOptions, source: Repository): Promise<Checkout> {
  const { place, sessionId, settingsDir, signal } = options;
  const parent = dirname(place.workspace);
  const made = join(parent, `.making-${sessionId}`);
  const env = hostEnvironment(settingsDir);
  const from = source.kind === "local" ? source.path : source.url;
  try {
    const wanted = source.ref === undefined ? [] : ["--branch", source.ref];
    await rm(made, { recursive: true, force: true });
    mkdirSync(made, { mode: OWN });
    await git(["clone", "--quiet", "--no-hardlinks", ...wanted, "--", from, made], { cwd: parent, env, signal });
    const run = (...args: string[]) => git(args, { cwd: made, env, signal });
    const baseBranch = source.ref ?? (await currentBranch(run));
    const branch = branchOf(sessionId);
    await run("checkout", "--quiet", "-b", branch);
    const base = (await run("rev-parse", "HEAD")).trim();
    if (place.user) await give(made, place.user);
    rmdirSync(place.workspace);
    renameSync(made, place.workspace);
    return { kind: "clone", branch, base, ...(baseBranch ? { baseBranch } : {}) };
  } finally {
    await rm(made, { recursive: true, force: true });
  }
}

async function currentBranch(run: (...args: string[]) => Promise<string>): Promise<string | undefined> {
  const name = (await run("rev-parse", "--abbrev-ref", "HEAD")).trim();
  return name === "HEAD" ? undefined : name;
}

function branchOf(sessionId: string): string {
  return `agent-ops/${sessionId.replaceAll(/\W/g, "").slice(0, BRANCH_CHARS)}`;
}

function requireEmpty(folder: string): void {
  if (readdirSync(folder).length > 0)
    throw new TurnError("The session's folder is not empty, so no repository fits in.");
}

/**
 * Git on behalf of the host, with the host's own keys and helpers. It fetches over https and ssh, and from folders that
 * were checked before; it does not ask who owns those, since the operator has named them.
 */
function hostEnvironment(settingsDir: string): NodeJS.ProcessEnv {
  const file = join(settingsDir, "gitconfig");
  const own = process.env.GIT_CONFIG_GLOBAL ?? join(process.env.HOME ?? homedir(), ".gitconfig");
  const lines = [
    "[include]",
    `path = ${JSON.stringify(own)}`,
    "[core]",
    "hooksPath = /dev/null",
    "[safe]",
    "directory = *",
    "[protocol]",
    "allow = never",
    ...["https", "ssh", "file"].flatMap((name) => [`[protocol "${name}"]`, "allow = always"]),
  ];
  writeFileSync(file, `${lines.join("\n")}\n`, { mode: 0o600 });
  const { PATH, HOME, SSH_AUTH_SOCK } = process.env;
  return { PATH, HOME, SSH_AUTH_SOCK, GIT_CONFIG_GLOBAL: file, GIT_SSH_COMMAND: "ssh -o BatchMode=yes" };
}
