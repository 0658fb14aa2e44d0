import { execFile } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { newDataFolder, ROOT } from "../src/product.ts";
import { pathWithAgents } from "../src/real-agents/installed.ts";
import { MAIN } from "../src/runner-host.ts";

const PINNED = JSON.parse(readFileSync(join(ROOT, "conformance/agents/package.json"), "utf8")).dependencies;
const KEY = "sk-very-secret-77fe";

/** `agent-ops agents` to its end, whatever its exit code. */
async function agents(env: Record<string, string>, ...args: string[]) {
  const options = { env: { ...process.env, AGENT_OPS_DATA: newDataFolder(), ...env } };
  return promisify(execFile)(process.execPath, [MAIN, "agents", ...args], options).then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    (error: { code: number; stdout: string; stderr: string }) => error,
  );
}

function folderWith(file: string, content: object, mode: number): string {
  const data = newDataFolder();
  mkdirSync(join(data, "private"), { mode: 0o700 });
  writeFileSync(join(data, "private", file), JSON.stringify(content), { mode });
  return data;
}

describe("agent-ops agents", () => {
  it("HOST4: says what is missing and how to get it", async () => {
    const { stdout } = await agents({ PATH: "/nowhere" });
    expect(stdout).toContain("+ demo         built in\n");
    expect(stdout).toContain("- opencode     not installed; npm install --global opencode-ai@");
    expect(stdout).toContain("- gemini       not installed; npm install --global @google/gemini-cli@");
  });

  it("HOST4: says which version is where, and what the configuration of another would be", async () => {
    const { stdout } = await agents({ PATH: pathWithAgents("opencode", "gemini") });
    expect(stdout).toMatch(new RegExp(`^\\+ opencode +${PINNED["opencode-ai"]} \\(/\\S+/opencode\\)$`, "m"));
    expect(stdout).toMatch(new RegExp(`^- gemini +${PINNED["@google/gemini-cli"]} .*"type":"acp".*"--acp"`, "m"));
  });

  it("HOST2 HOST4: configured agents are checked too; keys are told by name alone", async () => {
    const model = (keyFrom: string) => ({ type: "ai-sdk", model: "m", provider: { type: "openai", keyFrom } });
    const command = { type: "acp", command: "no-such-agent" };
    const settings = { agents: { local: command, ready: model("GIVEN_API_KEY"), keyless: model("ABSENT_API_KEY") } };
    const data = folderWith("agents.json", settings, 0o600);
    writeFileSync(join(data, "private/keys.json"), JSON.stringify({ GIVEN_API_KEY: KEY }), { mode: 0o600 });
    const { stdout } = await agents({ PATH: "/nowhere", AGENT_OPS_DATA: data });
    expect(stdout).toContain('- local        not installed; there is no program "no-such-agent" on the PATH\n');
    expect(stdout).toContain("+ ready        openai m\n");
    expect(stdout).toContain("- keyless      openai m; the key ABSENT_API_KEY is missing");
    expect(stdout).not.toContain(KEY);
    const reports: { name: string }[] = JSON.parse((await agents({ AGENT_OPS_DATA: data }, "--json")).stdout);
    expect(reports.map(({ name }) => name)).toEqual(expect.arrayContaining(["demo", "opencode", "local", "ready"]));
  });

  it("HOST2: a keys file that others can read is refused, and not shown", async () => {
    const { code, stderr, stdout } = await agents({
      AGENT_OPS_DATA: folderWith("keys.json", { OPENAI_API_KEY: KEY }, 0o644),
    });
    expect(code).toBe(2);
    expect(stderr).toContain("can be read by others");
    expect(stdout + stderr).not.toContain(KEY);
  });
});
