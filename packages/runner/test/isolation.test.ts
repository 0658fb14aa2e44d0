import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { AgentPlaces, endProcessesOf, spawnOptions } from "../src/agent-places.ts";
import { LineProcess } from "../src/agents/line-process.ts";
import { findIsolation } from "../src/isolation.ts";
import { eventually } from "./support/eventually.ts";
import { tempDir } from "./support/temp-dir.ts";

vi.setConfig({ testTimeout: 20_000 });

const isRoot = process.getuid?.() === 0;

function folders(mode = 0o711) {
  const dir = tempDir();
  chmodSync(dir, mode);
  const dataDir = join(dir, "private");
  mkdirSync(dataDir, { mode: 0o700 });
  writeFileSync(join(dataDir, "secrets.json"), "{}");
  return { workspacesDir: join(dir, "workspaces"), homesDir: join(dir, "homes"), dataDir };
}

describe.runIf(isRoot)("as root", () => {
  async function isolated() {
    const paths = folders();
    const isolation = await findIsolation(paths);
    if (isolation.kind !== "user") throw new Error(isolation.reason);
    return { paths, isolation, places: new AgentPlaces({ ...paths, ...isolation }) };
  }

  test("every session has a user of its own, the same each time", async () => {
    const { isolation, places } = await isolated();
    expect(isolation.userOf("s1")).toEqual(isolation.userOf("s1"));
    expect(isolation.userOf("s1")).not.toEqual(isolation.userOf("s2"));
    const { workspace, home, user } = places.prepare("s1");
    for (const folder of [workspace, home]) {
      expect([statSync(folder).uid, statSync(folder).mode & 0o777]).toEqual([user?.id, 0o700]);
    }
  });

  test("an agent writes its own folders, and reads nothing of the runner's or of another session's", async () => {
    const { paths, places } = await isolated();
    const place = places.prepare("s1");
    const other = places.prepare("s2");
    writeFileSync(join(other.workspace, "plan.txt"), "secret");
    const run = (script: string) =>
      execFileSync("/bin/sh", ["-c", script], { ...spawnOptions(place), encoding: "utf8", stdio: "pipe" });
    expect(run('pwd; touch mine "$HOME/mine" "$TMPDIR/mine"; id -G')).toBe(`${place.workspace}\n${place.user?.id}\n`);
    for (const target of [paths.dataDir, join(paths.dataDir, "secrets.json"), other.workspace, other.home]) {
      expect(() => run(`cat ${target} || ls ${target}`), target).toThrow("Permission denied");
    }
    for (const target of [
      join(other.workspace, "plan.txt"),
      `/proc/${process.pid}/environ`,
      `/proc/${process.pid}/mem`,
    ]) {
      expect(() => run(`cat ${target}`), target).toThrow("Permission denied");
    }
    for (const target of [paths.workspacesDir, paths.homesDir]) {
      expect(() => run(`ls ${target}`), target).toThrow("Permission denied");
      expect(() => run(`touch ${target}/x`), target).toThrow("Permission denied");
    }
    expect(() => run(`kill -9 ${process.pid}`)).toThrow("not permitted");
  });

  test("a workspace that the runner made before becomes the user's, and no link leads out of it", async () => {
    const { paths, places } = await isolated();
    const workspace = join(paths.workspacesDir, "s1");
    mkdirSync(join(workspace, "src"), { recursive: true });
    writeFileSync(join(workspace, "src/a.txt"), "");
    symlinkSync(join(paths.dataDir, "secrets.json"), join(workspace, "link"));
    const { user } = places.prepare("s1");
    expect(statSync(join(workspace, "src/a.txt")).uid).toBe(user?.id);
    expect(statSync(join(paths.dataDir, "secrets.json")).uid).toBe(0);
  });

  test("what left the agent's process group ends with it", async () => {
    const { places } = await isolated();
    const place = places.prepare("s1");
    const script = "setsid sh -c 'sleep 1000 & echo $! > escaped; wait' & sleep 1000";
    const agent = new LineProcess({ command: "/bin/sh", args: ["-c", script], place });
    const escaped = join(place.workspace, "escaped");
    await eventually(() => existsSync(escaped) && readFileSync(escaped, "utf8")).toMatch(/^\d+\n$/);
    const pid = readFileSync(escaped, "utf8").trim();
    await agent.kill();
    expect(existsSync(`/proc/${pid}`)).toBe(true);
    if (place.user) await endProcessesOf(place.user);
    await eventually(() => isAlive(pid)).toBe(false);
  });

  test("folders that others cannot reach: no isolation, and the reason names the folder", async () => {
    const paths = folders(0o700);
    expect(await findIsolation(paths)).toEqual({
      kind: "none",
      reason: expect.stringMatching(/^EACCES: permission denied, .*workspaces/),
    });
  });

  test("private data that others can read: no isolation", async () => {
    const paths = folders();
    chmodSync(paths.dataDir, 0o755);
    expect(await findIsolation(paths)).toMatchObject({ kind: "none", reason: `an agent can list ${paths.dataDir}` });
  });
});

test.runIf(!isRoot)("without root there is no isolation, and the reason says so", async () => {
  expect(await findIsolation(folders())).toMatchObject({ kind: "none", reason: expect.stringContaining("root") });
});

/** A process that ended but was not yet collected is dead. */
function isAlive(pid: string): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}
