import { execFile } from "node:child_process";
import { once } from "node:events";
import { readdirSync, statSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, inject, it } from "vitest";
import { Api } from "../src/api.ts";
import { newDataFolder, Product, ROOT } from "../src/product.ts";

const product = inject("product");
const MAIN = join(ROOT, "packages/cli/src/main.ts");

/** Runs the program to its end, whatever its exit code. */
async function agentOps(args: string[], env: Record<string, string> = {}) {
  const done = promisify(execFile)(process.execPath, [MAIN, ...args], { env: { ...process.env, ...env } });
  return done.then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    (error: { code: number; stdout: string; stderr: string }) => error,
  );
}

describe("agent-ops", () => {
  it("token prints a token that works, and nothing else", async () => {
    const { stdout } = await agentOps(["token", "--user", "dora"], { AGENT_OPS_DATA: product.data });
    expect(stdout).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+\n$/);
    const me = await new Api(product.url, stdout.trim()).request("GET", "/api/me");
    expect(await me.json()).toEqual({ user: "dora" });
  });

  it("ACL3: a sign-in link works once", async () => {
    const { stdout } = await agentOps(["link", "--user", "erin", "--data", product.data, "--url", product.url]);
    const code = new URL(stdout.trim()).searchParams.get("token");
    const exchange = () =>
      fetch(`${product.url}/api/auth/exchange`, { method: "POST", body: JSON.stringify({ code }) });
    const first = await exchange();
    const { token, user } = await first.json();
    expect([first.status, user]).toEqual([200, "erin"]);
    expect((await new Api(product.url, token).request("GET", "/api/sessions")).status).toBe(200);
    expect((await exchange()).status).toBe(401);
    expect((await new Api(product.url, code ?? "").request("GET", "/api/sessions")).status).toBe(401);
  });

  it("says what is wrong on the command line, and helps", async () => {
    expect(await agentOps(["token"])).toMatchObject({ code: 2, stdout: "", stderr: expect.stringContaining("--user") });
    expect(await agentOps(["nothing"])).toMatchObject({ code: 2, stderr: expect.stringContaining("no command") });
    expect(await agentOps(["start", "--port", "x"])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("port"),
    });
    expect(await agentOps(["start", "--nonsense"])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("nonsense"),
    });
    for (const args of [["--help"], ["start", "--help"], ["token", "--help"], ["link", "--help"]]) {
      expect(await agentOps(args)).toMatchObject({ code: 0, stdout: expect.stringContaining("agent-ops") });
    }
  });

  it("a setting that the worker cannot use is a clear error, and nothing is started", async () => {
    const data = newDataFolder();
    const settings = { TIMES: '{"graceSeconds":5}', ENABLE_AI_SDK_ADAPTER: "no" };
    const { code, stderr } = await agentOps(["start", "--no-open", "--data", data], settings);
    expect([code, stderr]).toEqual([2, expect.stringMatching(/^ENABLE_AI_SDK_ADAPTER has .*\nTIMES has .*graceMs/)]);
    expect(readdirSync(data)).toEqual([]);
  });

  it("a taken port is a clear error", async () => {
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    const address = server.address();
    const port = typeof address === "object" ? String(address?.port) : "";
    const { code, stderr } = await agentOps(["start", "--no-open", "--port", port, "--data", newDataFolder()]);
    server.close();
    expect([code, stderr]).toEqual([2, expect.stringContaining(`Port ${port} on 127.0.0.1 is taken`)]);
  });

  it("start keeps its secret to the owner, and SIGTERM stops every process it started", async () => {
    const own = await Product.start();
    expect(statSync(join(own.data, "private/secrets.json")).mode & 0o777).toBe(0o600);
    expect(statSync(join(own.data, "private")).mode & 0o777).toBe(0o700);
    const api = await Api.of(own);
    await (await api.chat(await api.createSession(), "hello")).text();
    const processes = own.processes();
    expect(processes.length).toBeGreaterThanOrEqual(3);
    expect(await own.stop()).toBe(0);
    await expect.poll(() => processes.filter(isAlive), { timeout: 2_000 }).toEqual([]);
    await own.destroy();
  });
});

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
