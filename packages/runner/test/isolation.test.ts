import { execFileSync, spawn } from "node:child_process";
import {
  chmodSync,
  chownSync,
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
import { describe, expect, test, vi } from "vitest";
import { AgentPlaces, endProcessesOf, spawnOptions } from "../src/agent-places.ts";
import { AgentUsers } from "../src/agent-users.ts";
import { endProcessesOfAll } from "../src/agents/leftovers.ts";
import { LineProcess } from "../src/agents/line-process.ts";
import { findIsolation } from "../src/isolation.ts";
import { isLoopback } from "../src/loopback.ts";
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
    return { paths, users: isolation.users, places: new AgentPlaces({ ...paths, users: isolation.users }) };
  }

  test("every session has a user of its own, the same each time", async () => {
    const { users, places } = await isolated();
    expect(users.of("s1")).toEqual(users.of("s1"));
    expect(users.of("s1")).not.toEqual(users.of("s2"));
    const { workspace, home, user } = places.prepare("s1");
    for (const folder of [workspace, home]) {
      expect([statSync(folder).uid, statSync(folder).mode & 0o777]).toEqual([user?.id, 0o700]);
    }
  });

  test("SEC1: hosts that start on one machine at once do not end each other's trial", async () => {
    const found = await Promise.all(Array.from({ length: 6 }, () => findIsolation(folders())));
    expect(found.map(({ kind }) => kind)).toEqual(Array.from({ length: 6 }, () => "user"));
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

  test("SEC1: no two sessions share a user, and a session's is free again when it is forgotten", async () => {
    const paths = folders();
    const range = { first: 1_900_000_000, count: 3 };
    const from = () => new AgentUsers(range, [paths.workspacesDir, paths.homesDir]);
    const users = from();
    const places = new AgentPlaces({ ...paths, users });
    const ids = ["s1", "s2", "s3"].map((sessionId) => places.prepare(sessionId).user?.id);
    expect(new Set(ids).size).toBe(3);
    expect(() => users.of("s4")).toThrow("no user left");
    const later = from();
    expect(["s1", "s2", "s3"].map((sessionId) => later.of(sessionId).id)).toEqual(ids);
    await places.remove("s2");
    expect(users.of("s4").id).toBe(ids[1]);
    expect(from().of("s4").id).toBe(ids[1]);
  });

  test("SEC1: root gives away nothing that lies in a folder of the agent's, and makes nothing there", async () => {
    const { paths, places } = await isolated();
    const { home, workspace, user } = places.prepare("s1");
    const temp = join(home, "tmp");
    // What a link that is put there at the right moment would lead to.
    chownSync(temp, 0, 0);
    writeFileSync(join(temp, "root.txt"), "");
    writeFileSync(join(workspace, "root.txt"), "");
    places.prepare("s1");
    for (const path of [temp, join(temp, "root.txt"), join(workspace, "root.txt")]) expect(statSync(path).uid).toBe(0);
    rmSync(temp, { recursive: true });
    symlinkSync(join(paths.dataDir, "new"), temp);
    places.prepare("s1");
    expect(readdirSync(paths.dataDir)).toEqual(["secrets.json"]);
    rmSync(temp);
    places.prepare("s1");
    expect([statSync(temp).uid, statSync(temp).mode & 0o777]).toEqual([user?.id, 0o700]);
  });

  test("a workspace that the runner made before becomes the user's, and no link leads out of it", async () => {
    const { paths, places } = await isolated();
    mkdirSync(paths.workspacesDir, { recursive: true });
    const workspace = join(paths.workspacesDir, "s1");
    mkdirSync(workspace);
    symlinkSync(join(paths.dataDir, "secrets.json"), join(workspace, "link"));
    const { user } = places.prepare("s1");
    expect(statSync(workspace).uid).toBe(user?.id);
    expect(statSync(join(paths.dataDir, "secrets.json")).uid).toBe(0);
  });

  test("SEC1: what a killed runner's agent left behind is found by its user, whatever its environment", async () => {
    const { places, users } = await isolated();
    const options = spawnOptions(places.prepare("s1"));
    const left = spawn("sleep", ["1000"], { ...options, env: { PATH: process.env.PATH }, stdio: "ignore" });
    const other = spawn("sleep", ["1000"], { stdio: "ignore" });
    try {
      await endProcessesOfAll(users.all);
      await eventually(() => left.signalCode).toBe("SIGKILL");
      expect(other.signalCode).toBe(null);
    } finally {
      left.kill("SIGKILL");
      other.kill("SIGKILL");
    }
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

test("MCP2: this machine is named by its addresses and its own name, and by no name that looks like them", () => {
  for (const host of ["localhost", "127.0.0.1", "127.1.2.3", "[::1]"]) expect(isLoopback(host), host).toBe(true);
  for (const host of ["127.evil.com", "127.0.0.1.evil.com", "128.0.0.1", "localhost.evil.com"]) {
    expect(isLoopback(host), host).toBe(false);
  }
});

/** A process that ended but was not yet collected is dead. */
function isAlive(pid: string): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}
