import { execFile } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, inject, it } from "vitest";
import { Api } from "../src/api.ts";
import { ROOT } from "../src/product.ts";

const product = inject("product");
const MAIN = join(ROOT, "packages/cli/src/main.ts");

type CheckReport = {
  profile: string;
  ok: boolean;
  passed: number;
  checks: { id: string; status: string; seen?: string; note?: string }[];
};

/** `agent-ops check`, whatever its exit code. */
async function check(args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  return promisify(execFile)(process.execPath, [MAIN, "check", ...args]).then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    (error: { code: number; stdout: string; stderr: string }) => error,
  );
}

/** The address of a new session's chat and what opens it. */
async function openSession(): Promise<{ api: Api; url: string; args: string[] }> {
  const api = await Api.of(product);
  const url = `${product.url}/api/sessions/${await api.createSession()}/chat`;
  return { api, url, args: [url, "--token", api.token] };
}

describe("agent-ops check", () => {
  it("SSE1-SSE6 TR1-TR15: our endpoint passes everything, and nothing is left out", async () => {
    const { args } = await openSession();
    const { code, stdout } = await check([...args, "--json"]);
    const report: CheckReport = JSON.parse(stdout);
    expect(report.checks.filter(({ status }) => status !== "passed")).toEqual([]);
    expect([code, report.ok, report.profile]).toEqual([0, true, "agent-ops"]);
    expect(report.passed).toBe(report.checks.length);
  });

  it("SSE6: the resume law holds at every cut point that is reached before the turn ends", async () => {
    const { args } = await openSession();
    const { stdout } = await check([...args, "--json", "--only", "resume"]);
    const report: CheckReport = JSON.parse(stdout);
    const law = report.checks.find(({ id }) => id === "resume.start-index");
    expect(law).toMatchObject({ status: "passed" });
    expect(Number.parseInt(law?.note ?? "0", 10)).toBeGreaterThanOrEqual(40);
  });

  it("useChat's default address passes too, where each chat is a session of its own", async () => {
    const { token } = await Api.of(product, "checker");
    const only = ["answer", "headers", "end", "refusal", "resume", "idempotency", "concurrency"];
    const args = [`${product.url}/api/chat`, "--token", token, "--json", ...only.flatMap((name) => ["--only", name])];
    const report: CheckReport = JSON.parse((await check(args)).stdout);
    expect(report.checks.filter(({ status }) => status !== "passed")).toEqual([]);
  });

  it("is pleasant to read where nobody wants colours", async () => {
    const { args } = await openSession();
    const { code, stdout } = await check([...args, "--only", "headers", "--only", "refusal"]);
    expect(code).toBe(0);
    expect(stdout).toContain("profile: agent-ops");
    expect(stdout).toMatch(/^ {2}✓ refusal\.bad-json +a body that is not JSON gets a 4xx with a reason · HTTP 400$/m);
    expect(stdout).toMatch(/\n✓ 7 passed in \d+\.\d s\n$/);
    expect(stdout).not.toContain("\u001b");
  });

  it("exit code 1 and a reason where something fails", async () => {
    const server = createServer((_, response) => response.writeHead(200).end()).listen(0, "127.0.0.1");
    await once(server, "listening");
    const address = server.address();
    const port = typeof address === "object" ? address?.port : 0;
    const { code, stdout } = await check([`http://127.0.0.1:${port}/api/chat`, "--timeout", "5"]);
    server.close();
    expect(code).toBe(1);
    expect(stdout).toMatch(/✗ answer\.body .*\n +seen [^✗]*empty body\n +why [^✗]*\n +fix /);
  });

  it("exit code 2 where there is nothing to check or the command line is wrong", async () => {
    const { url, api } = await openSession();
    for (const [args, reason] of [
      [[], "check URL"],
      [["nonsense"], "not an http address"],
      [["http://127.0.0.1:9/api/chat"], "cannot be reached"],
      [[url], "HTTP 401"],
      [[`${product.url}/api/nothing`, "--token", api.token], "no chat endpoint"],
      [[url, "--only", "nothing"], "The groups are"],
      [[url, "--profile", "other"], "profiles"],
      [[url, "--header", "nonsense"], "not a header"],
      [[url, "--timeout", "soon"], "seconds"],
      [[url, "--sdk", "4"], "releases"],
      [[url, "--nonsense"], "nonsense"],
    ] as const) {
      expect(await check([...args])).toMatchObject({ code: 2, stdout: "", stderr: expect.stringContaining(reason) });
    }
    expect(await check(["--help"])).toMatchObject({ code: 0, stdout: expect.stringContaining("agent-ops check URL") });
  });

  it("--header stands in for --token", async () => {
    const { url, api } = await openSession();
    const header = `authorization: Bearer ${api.token}`;
    expect(await check([url, "--header", header, "--only", "answer"])).toMatchObject({ code: 0 });
  });
});
