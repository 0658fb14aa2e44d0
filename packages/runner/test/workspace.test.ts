import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { AgentPlaces } from "../src/agent-places.ts";
import { WorkspaceChanges } from "../src/workspace/changes.ts";
import { readSource } from "../src/workspace/source.ts";
import { Workspaces } from "../src/workspace/workspaces.ts";
import { tempDir } from "./support/temp-dir.ts";

const NEVER = new AbortController().signal;
const PERSON = ["-c", "user.name=Ada", "-c", "user.email=ada@example.com"];

function run(cwd: string, ...args: string[]): string {
  return execFileSync("git", [...PERSON, ...args], { cwd, encoding: "utf8", stdio: "pipe" }).trim();
}

/** A repository with a hook that would tell if it ever ran. */
function repository(root: string): string {
  const path = join(root, "app");
  mkdirSync(path, { recursive: true });
  run(path, "init", "--quiet", "--initial-branch=main");
  writeFileSync(join(path, "a.txt"), "one\ntwo\n");
  writeFileSync(join(path, "b.txt"), "gone soon\n");
  run(path, "add", ".");
  run(path, "commit", "--quiet", "-m", "Begin");
  const hook = join(path, ".git/hooks/post-checkout");
  writeFileSync(hook, `#!/bin/sh\ntouch ${join(root, "hook-ran")}\n`);
  chmodSync(hook, 0o755);
  return path;
}

function host(root: string, user?: { id: number }) {
  const roots = [join(root, "allowed")];
  const workspaces = new Workspaces({ dir: join(root, "private"), roots });
  const [workspacesDir, homesDir] = [join(root, "workspaces"), join(root, "homes")];
  const places = new AgentPlaces({
    workspacesDir,
    homesDir,
    ...(user ? { users: { of: () => user, forget: () => {} } } : {}),
  });
  const prepare = async (id: string, wanted?: string) => {
    const place = places.prepare(id);
    return { place, checkout: await workspaces.prepare(id, place, wanted, NEVER) };
  };
  return { places, workspaces, prepare };
}

describe("what a session's folder may be made from", () => {
  test.each([
    ["https://example.com/team/app.git", { kind: "remote", url: "https://example.com/team/app.git" }],
    ["https://example.com/app#v1.2/x", { kind: "remote", url: "https://example.com/app", ref: "v1.2/x" }],
    ["ssh://git@example.com/app.git", { kind: "remote", url: "ssh://git@example.com/app.git" }],
    ["git@example.com:team/app.git", { kind: "remote", url: "git@example.com:team/app.git" }],
    [undefined, { kind: "empty" }],
  ])("WS1: %s", (workspace, source) => {
    expect(readSource(workspace, [])).toEqual(source);
  });

  test.each([
    "http://example.com/app.git",
    "git://example.com/app.git",
    "file:///etc",
    "ext::sh -c touch% /tmp/x",
    "https://ada:secret@example.com/app.git",
    "ssh://-oProxyCommand=touch/x",
    "-oProxyCommand=touch@example.com:x",
    "git@-oProxyCommand=touch:x",
    "--upload-pack=touch",
    "https://example.com/app#--upload-pack=touch",
    "https://example.com/app#a..b",
    "https://example.com/app#a#b",
    "relative/path",
    "/etc",
    "/nowhere/at/all",
  ])("WS1: %s is refused", (workspace) => {
    expect(() => readSource(workspace, ["/nonexistent"])).toThrow(/workspace|host allows|branch|password/);
  });

  test("WS1: a link does not lead out of an allowed folder", () => {
    const root = tempDir();
    mkdirSync(join(root, "allowed"));
    mkdirSync(join(root, "secret"));
    symlinkSync(join(root, "secret"), join(root, "allowed/link"));
    const roots = [join(root, "allowed")];
    expect(() => readSource(join(root, "allowed/link"), roots)).toThrow("host allows");
    expect(() => readSource(join(root, "allowed/../secret"), roots)).toThrow("host allows");
    expect(readSource(join(root, "allowed"), roots)).toMatchObject({ kind: "local" });
  });
});

describe("a local repository", () => {
  test("WS2: is a worktree on a branch of its own, without hooks, and its repository forgets it with the session", async () => {
    const root = tempDir();
    const path = repository(join(root, "allowed"));
    const { prepare, workspaces, places } = host(root);
    const { place, checkout } = await prepare("s1", path);
    expect(checkout).toMatchObject({ kind: "worktree", branch: "agent-ops/s1", baseBranch: "main" });
    expect(readFileSync(join(place.workspace, "a.txt"), "utf8")).toBe("one\ntwo\n");
    expect(run(path, "worktree", "list")).toContain(place.workspace);
    expect(existsSync(join(root, "allowed/hook-ran"))).toBe(false);
    expect((await prepare("s1", path)).checkout).toEqual(checkout);
    await workspaces.remove("s1", place.workspace);
    places.remove("s1");
    expect(run(path, "worktree", "list")).not.toContain(place.workspace);
    expect(run(path, "branch", "--list", "agent-ops/*")).toBe("");
  });

  test("WS2: a branch with work on it stays when the session is deleted", async () => {
    const root = tempDir();
    const path = repository(join(root, "allowed"));
    const { prepare, workspaces } = host(root);
    const { place } = await prepare("s1", `${path}#main`);
    writeFileSync(join(place.workspace, "a.txt"), "changed\n");
    run(place.workspace, "commit", "--quiet", "-am", "Work");
    await workspaces.remove("s1", place.workspace);
    expect(run(path, "branch", "--list", "agent-ops/*")).toBe("agent-ops/s1");
    expect(run(path, "log", "-1", "--format=%s", "agent-ops/s1")).toBe("Work");
  });

  test.runIf(process.getuid?.() === 0)("WS2: is a clone where the agent has a user of its own", async () => {
    const root = tempDir();
    chmodSync(root, 0o755);
    const path = repository(join(root, "allowed"));
    const { prepare } = host(root, { id: 23_456 });
    const { place, checkout } = await prepare("s1", path);
    expect(statSync(place.workspace).mode & 0o777).toBe(0o700);
    expect(checkout).toMatchObject({ kind: "clone", branch: "agent-ops/s1", baseBranch: "main" });
    expect(run(path, "worktree", "list").split("\n")).toHaveLength(1);
    const changes = new WorkspaceChanges(place, checkout);
    expect(await changes.state()).toEqual({
      branch: "agent-ops/s1",
      baseBranch: "main",
      commitCount: 0,
      dirty: false,
    });
    const script = "echo new > c.txt && git add . && git -c user.name=A -c user.email=a@b.c commit -qm C";
    const as = { cwd: place.workspace, uid: 23_456, gid: 23_456, env: { PATH: process.env.PATH, HOME: place.home } };
    execFileSync("/bin/sh", ["-c", script], as);
    expect(await changes.state()).toMatchObject({ commitCount: 1, dirty: false });
    expect(readdirSync(join(root, "workspaces"))).toEqual(["s1"]);
  });

  test("WS1: one that cannot be had is told with git's own words, and leaves nothing behind", async () => {
    const root = tempDir();
    mkdirSync(join(root, "allowed/empty"), { recursive: true });
    const { prepare, places } = host(root);
    await expect(prepare("s1", join(root, "allowed/empty"))).rejects.toThrow("not a git repository");
    expect(readdirSync(places.workspaceOf("s1"))).toEqual([]);
    await expect(prepare("s1", `${repository(join(root, "allowed"))}#nosuch`)).rejects.toThrow(/nosuch/);
    expect(readdirSync(places.workspaceOf("s1"))).toEqual([]);
  });
});

describe("a repository elsewhere", () => {
  test("WS1 WS2: is cloned with the host's own git settings, from the branch that is named, without hooks", async () => {
    const root = tempDir();
    const path = repository(join(root, "elsewhere"));
    run(path, "checkout", "--quiet", "-b", "other");
    writeFileSync(join(path, "a.txt"), "other\n");
    run(path, "commit", "--quiet", "-am", "Other");
    mkdirSync(join(root, "template/hooks"), { recursive: true });
    writeFileSync(join(root, "template/hooks/post-checkout"), `#!/bin/sh\ntouch ${join(root, "hook-ran")}\n`, {
      mode: 0o755,
    });
    const settings = [`[url "${join(root, "elsewhere")}/"]`, "insteadOf = https://example.com/", "[init]"];
    writeFileSync(join(root, "gitconfig"), [...settings, `templateDir = ${join(root, "template")}`, ""].join("\n"));
    vi.stubEnv("GIT_CONFIG_GLOBAL", join(root, "gitconfig"));
    onTestFinished(() => void vi.unstubAllEnvs());
    const { place, checkout } = await host(root).prepare("s1", "https://example.com/app#other");
    expect(checkout).toMatchObject({ kind: "clone", branch: "agent-ops/s1", baseBranch: "other" });
    expect(readFileSync(join(place.workspace, "a.txt"), "utf8")).toBe("other\n");
    expect(existsSync(join(root, "hook-ran"))).toBe(false);
    expect(readdirSync(join(root, "workspaces"))).toEqual(["s1"]);
  });
});

describe("what a session changed", () => {
  test("WS3: in a repository: edits, new files, deletions and commits, counted from where it began", async () => {
    const root = tempDir();
    const path = repository(join(root, "allowed"));
    const { place, checkout } = await host(root).prepare("s1", path);
    const changes = new WorkspaceChanges(place, checkout);
    expect([await changes.files(), changes.isUntouched]).toEqual([[], false]);
    writeFileSync(join(place.workspace, "a.txt"), "one\n2\n");
    run(place.workspace, "commit", "--quiet", "-am", "Edit");
    rmSync(join(place.workspace, "b.txt"));
    mkdirSync(join(place.workspace, "dir"));
    writeFileSync(join(place.workspace, "dir/a file.txt"), "new\n");
    writeFileSync(join(place.workspace, "picture"), Buffer.from([0, 1, 2, 0]));
    const files = await changes.files();
    expect(files.map(({ patch: _, ...file }) => file)).toEqual([
      { path: "a.txt", status: "modified", additions: 1, deletions: 1 },
      { path: "b.txt", status: "deleted", additions: 0, deletions: 1 },
      { path: "dir/a file.txt", status: "added", additions: 1, deletions: 0 },
      { path: "picture", status: "added", additions: 0, deletions: 0 },
    ]);
    expect(files[0]?.patch).toContain("-two\n+2\n");
    expect(files[2]?.patch).toContain("+new\n");
    expect(await changes.state()).toMatchObject({ branch: "agent-ops/s1", commitCount: 1, dirty: true });
    expect(run(place.workspace, "status", "--porcelain")).toBe("D b.txt\n?? dir/\n?? picture");
  });

  test("WS3: in a folder that is no repository everything is new, and no trace is left in it", async () => {
    const { place, checkout } = await host(tempDir()).prepare("s1");
    const changes = new WorkspaceChanges(place, checkout);
    expect([await changes.files(), await changes.state()]).toEqual([[], undefined]);
    writeFileSync(join(place.workspace, "notes.txt"), "hello\n");
    expect(await changes.files()).toMatchObject([{ path: "notes.txt", status: "added", additions: 1 }]);
    rmSync(join(place.workspace, "notes.txt"));
    writeFileSync(join(place.workspace, "other.txt"), "x\n");
    expect(await changes.files()).toMatchObject([{ path: "other.txt" }]);
    expect(readdirSync(place.workspace)).toEqual(["other.txt"]);
    run(place.workspace, "init", "--quiet", "--initial-branch=main");
    expect(await changes.files()).toMatchObject([{ path: "other.txt", status: "added" }]);
    expect(await changes.state()).toEqual({ branch: "main", commitCount: 0, dirty: true });
  });

  test("WS3: what is very long is counted and not shown, and what tools put there is left out", async () => {
    const { place, checkout } = await host(tempDir()).prepare("s1");
    const changes = new WorkspaceChanges(place, checkout);
    mkdirSync(join(place.workspace, "sub/node_modules/x"), { recursive: true });
    writeFileSync(join(place.workspace, "sub/node_modules/x/index.js"), "x\n");
    writeFileSync(join(place.workspace, "long.txt"), "line\n".repeat(6_000));
    writeFileSync(join(place.workspace, "a[1]*.txt"), "x\n");
    const files = await changes.files();
    expect(files.map(({ path, additions, patch }) => [path, additions, patch === ""])).toEqual([
      ["a[1]*.txt", 1, false],
      ["long.txt", 6_000, true],
    ]);
  });

  test("WS3: nothing that the repository brings is run to find out", async () => {
    const root = tempDir();
    const path = repository(join(root, "allowed"));
    const { place, checkout } = await host(root).prepare("s1", path);
    const trap = join(root, "trap.sh");
    writeFileSync(trap, `#!/bin/sh\ntouch ${join(root, "trapped")}\n`);
    chmodSync(trap, 0o755);
    for (const key of ["core.fsmonitor", "diff.external", "diff.x.textconv", "core.pager"]) {
      run(place.workspace, "config", key, trap);
    }
    writeFileSync(join(place.workspace, ".gitattributes"), "* diff=x\n");
    writeFileSync(join(place.workspace, "a.txt"), "changed\n");
    const changes = new WorkspaceChanges(place, checkout);
    expect(await changes.files()).toHaveLength(2);
    await changes.state();
    expect(existsSync(join(root, "trapped"))).toBe(false);
  });
});
