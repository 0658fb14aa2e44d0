import { createHash } from "node:crypto";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { type AgentPlace, spawnOptions } from "../agent-places.ts";
import type { Checkout } from "./checkout.ts";
import { git } from "./git.ts";

/** Every repository knows the tree without files by this name. */
const EMPTY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";
/** Files beyond this are left out, and patches of more lines than that too. */
const FILES = 500;
const LINES = 5_000;
/** What tools put into a folder that is no repository, and nobody wants to see as a change. */
const NOT_OURS = ["node_modules/", ".venv/", "__pycache__/"];

export interface FileChange {
  path: string;
  status: "added" | "modified" | "deleted";
  additions: number;
  deletions: number;
  patch: string;
}

export interface GitState {
  branch: string;
  baseBranch?: string;
  commitCount: number;
  dirty: boolean;
}

/**
 * What a session changed in its folder, as git sees it. Git runs as the agent does, since a folder that an agent can
 * write to can make git run programs. A folder that is no repository is compared with nothing, in a repository apart.
 */
export class WorkspaceChanges {
  #place: AgentPlace;
  #checkout: Checkout;

  constructor(place: AgentPlace, checkout: Checkout) {
    this.#place = place;
    this.#checkout = checkout;
  }

  get isUntouched(): boolean {
    return this.#checkout.kind === "empty" && readdirSync(this.#place.workspace).length === 0;
  }

  async state(): Promise<GitState | undefined> {
    if (!this.#isRepository) return undefined;
    const base = this.#checkout.base;
    const branch = (await this.#git("symbolic-ref", "--quiet", "--short", "HEAD").catch(() => "HEAD")).trim();
    const range = base === undefined ? "HEAD" : `${base}..HEAD`;
    const commitCount = Number(await this.#git("rev-list", "--count", range).catch(() => "0"));
    const dirty = (await this.#git("status", "--porcelain")) !== "";
    const { baseBranch } = this.#checkout;
    return { branch, commitCount, dirty, ...(baseBranch ? { baseBranch } : {}) };
  }

  /** Every file that differs from where the session began, committed or not. */
  async files(): Promise<FileChange[]> {
    if (this.isUntouched) return [];
    if (!this.#isRepository) await this.#makeShadow();
    const base = this.#checkout.base ?? EMPTY_TREE;
    await this.#indexAll(base);
    const counted = readCounts(await this.#diff(["--numstat", "-z", base])).slice(0, FILES);
    const shown = counted.filter(({ additions, deletions }) => additions + deletions <= LINES);
    if (shown.length === 0) return counted;
    const patches = splitPatches(
      await this.#diff(
        ["--patch", base],
        shown.map(({ path }) => path),
      ),
    );
    // Both outputs have the files in the same order.
    const patchOf = new Map(shown.map(({ path }, index) => [path, patches[index] ?? ""]));
    return counted.map((file) => withPatch(file, patchOf.get(file.path) ?? ""));
  }

  get #isRepository(): boolean {
    return existsSync(join(this.#place.workspace, ".git"));
  }

  get #shadow(): string {
    return join(this.#place.home, "workspace.git");
  }

  /** An index of our own, so that new files count and the agent's own index stays as it is. */
  async #indexAll(base: string): Promise<void> {
    await this.#gitApart("read-tree", "--reset", base);
    const left = this.#isRepository ? [] : NOT_OURS.map((folder) => `:(exclude,glob)**/${folder}**`);
    await this.#gitApart("add", "--intent-to-add", "--", ".", ...left);
  }

  #diff(args: string[], paths: string[] = []): Promise<string> {
    const plain = ["--no-ext-diff", "--no-textconv", "--no-renames", "--no-color"];
    return this.#gitApart("--literal-pathspecs", "diff", ...plain, ...args, "--", ...paths);
  }

  async #makeShadow(): Promise<void> {
    if (!existsSync(this.#shadow)) await this.#git("init", "--quiet");
  }

  #git(...args: string[]): Promise<string> {
    return this.#run(args, {});
  }

  #gitApart(...args: string[]): Promise<string> {
    return this.#run(args, { GIT_INDEX_FILE: join(this.#place.home, "workspace-index") });
  }

  #run(args: string[], more: Record<string, string>): Promise<string> {
    const { detached: _, cwd, env, ...as } = spawnOptions(this.#place);
    const shadow = this.#isRepository ? {} : { GIT_DIR: this.#shadow, GIT_WORK_TREE: cwd };
    return git(args, { cwd, env: { ...env, ...shadow, ...more }, ...as });
  }
}

/** A short name for a change, to see whether it is still the same. */
export function fingerprint({ additions, deletions, patch }: FileChange): string {
  return createHash("sha256").update(`${additions} ${deletions} ${patch}`).digest("base64");
}

function readCounts(output: string): FileChange[] {
  const lines = output.split("\0").filter((line) => line !== "");
  return lines.map((line) => {
    const [additions = "", deletions = "", ...path] = line.split("\t");
    // Git counts nothing for what is not text.
    const count = (digits: string) => (digits === "-" ? 0 : Number(digits));
    const counts = { additions: count(additions), deletions: count(deletions) };
    return { path: path.join("\t"), status: "modified", ...counts, patch: "" };
  });
}

function splitPatches(output: string): string[] {
  return output.split(/^(?=diff --git )/m).filter((text) => text !== "");
}

function withPatch(file: FileChange, patch: string): FileChange {
  const header = patch.slice(0, patch.indexOf("\n@@"));
  if (/^new file mode/m.test(header)) return { ...file, status: "added", patch };
  return { ...file, status: /^deleted file mode/m.test(header) ? "deleted" : "modified", patch };
}
