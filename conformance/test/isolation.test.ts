import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type AgentProcess, processesIn } from "../src/agent-processes.ts";
import { Api, streamedText } from "../src/api.ts";
import { newDataFolder, Product } from "../src/product.ts";
import { MAIN } from "../src/runner-host.ts";

const isRoot = process.getuid?.() === 0;

describe.runIf(isRoot)("what an agent can reach", () => {
  let product: Product;
  let agent: AgentProcess;
  let ids: string[];

  beforeAll(async () => {
    product = await Product.start();
    const api = await Api.of(product);
    ids = await Promise.all([api.createSession(), api.createSession()]);
    for (const id of ids) await streamedText(await api.chat(id, "/edit secret.txt mine"));
    agent = agentOf(ids[0]);
  });
  afterAll(() => product.destroy());

  function agentOf(id = ""): AgentProcess {
    const [found] = processesIn(join(product.data, "workspaces", id));
    if (!found) throw new Error("The agent does not run.");
    return found;
  }

  /** Runs a command as the agent could. */
  function asAgent(command: string): string {
    const { uid } = agent;
    const options = {
      uid,
      gid: uid,
      cwd: "/",
      env: { PATH: process.env.PATH },
      encoding: "utf8",
      stdio: "pipe",
    } as const;
    return execFileSync("/bin/sh", ["-c", command], options);
  }

  it("SEC1: it runs under a user of its own, in its workspace, with nothing of the runner's environment", () => {
    expect(agent.uid).toBeGreaterThan(1000);
    expect(agentOf(ids[1]).uid).not.toBe(agent.uid);
    const names = agent.environ.split("\0").map((entry) => entry.split("=")[0] ?? "");
    const allowed = ["HOME", "LANG", "PATH", "TMPDIR", "TZ"];
    expect(names.filter((name) => name !== "" && !allowed.includes(name))).toEqual([]);
    expect(agent.environ).toContain(`HOME=${join(product.data, "homes")}`);
    expect(asAgent(`cat ${join(product.data, "workspaces", ids[0] ?? "", "secret.txt")}`)).toBe("mine");
  });

  it("SEC1: it reads no secret, no outbox, no database, no log, and no other session's folders", () => {
    const private_ = join(product.data, "private");
    const files = readdirSync(private_, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    const paths = files.map((entry) => join(entry.parentPath, entry.name));
    for (const known of ["secrets.json", "outbox", "agent-ops.log", ".sqlite"]) {
      expect(
        paths.some((path) => path.includes(known)),
        known,
      ).toBe(true);
    }
    const others = ["workspaces", "homes"].map((folder) => join(product.data, folder, ids[1] ?? ""));
    for (const path of [...paths, join(others[0] ?? "", "secret.txt")]) {
      expect(() => asAgent(`cat '${path}'`), path).toThrow("Permission denied");
    }
    for (const path of [private_, ...others, join(product.data, "workspaces")]) {
      expect(() => asAgent(`ls '${path}'`), path).toThrow("Permission denied");
    }
  });

  it("SEC1: it reads neither the memory nor the environment of any other process of the product, nor ends it", () => {
    for (const pid of [...product.processes(), agentOf(ids[1]).pid].filter((pid) => pid !== agent.pid)) {
      for (const file of ["environ", "mem", "fd/0", "cwd/x"]) {
        expect(() => asAgent(`cat /proc/${pid}/${file}`), `${pid} ${file}`).toThrow("Permission denied");
      }
      expect(() => asAgent(`kill -9 ${pid}`)).toThrow("not permitted");
      const command = readFileSync(`/proc/${pid}/cmdline`, "utf8");
      expect(command).not.toMatch(/eyJ[\w-]+\.eyJ/);
    }
  });
});

describe.runIf(isRoot)("a data folder that other users cannot reach", () => {
  it("SEC1 SEC2: is said in one line at start, the agent works all the same, and nothing is shared", async () => {
    const outer = newDataFolder();
    const data = join(outer, "data");
    mkdirSync(data);
    const product = spawnStart(data);
    try {
      await product.ready;
      expect(product.stderr()).toMatch(
        /^Agents are not kept apart here, .*\(EACCES: .*\)\. Sessions cannot be shared .*--trust-agents\.$/m,
      );
      const api = await Api.of({ url: await product.ready, data });
      const id = await api.createSession();
      expect(await streamedText(await api.chat(id, "hello"))).toContain("hello");
      await expectNotShared(api, id);
    } finally {
      await product.stop();
      rmSync(outer, { recursive: true, force: true });
    }
  });
});

/** Neither with a member nor with a visitor. */
async function expectNotShared(api: Api, id: string): Promise<void> {
  const member = api.request("PUT", `/api/sessions/${id}/members/bob`, { role: "viewer" });
  const visitor = api.request("POST", `/api/sessions/${id}/widget-tokens`, { origin: "https://widget.example" });
  for (const answer of [await member, await visitor]) {
    expect([answer.status, (await answer.json()).message]).toEqual([403, expect.stringContaining("--trust-agents")]);
  }
}

function spawnStart(data: string) {
  const port = 20_000 + (process.pid % 20_000);
  const args = [MAIN, "start", "--no-open", "--port", String(port), "--data", data];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "pipe"] });
  let stderr = "";
  child.stderr.on("data", (text) => {
    stderr += text;
  });
  const ready = once(child.stdout, "data").then(() => `http://127.0.0.1:${port}`);
  const stop = async () => {
    const gone = once(child, "exit");
    child.kill("SIGTERM");
    await gone;
  };
  return { ready, stderr: () => stderr, stop };
}
