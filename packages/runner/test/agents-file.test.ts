import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { readAgentsFile, readKeysFile } from "../src/agents/agents-file.ts";
import { agentRegistry } from "../src/agents/registry.ts";
import { tempDir } from "./support/temp-dir.ts";
import { testHost } from "./support/test-host.ts";

function file(content: unknown, mode = 0o600): string {
  const path = join(tempDir(), "agents.json");
  writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content));
  chmodSync(path, mode);
  return path;
}

const OPENAI = { type: "ai-sdk", provider: { type: "openai" }, model: "gpt-5" };

describe("HOST1: the host's list of agents", () => {
  test("has none where there is no file", () => {
    expect(readAgentsFile(join(tempDir(), "missing.json")).agents).toEqual({});
    expect(readAgentsFile(undefined).agents).toEqual({});
  });

  test("takes agents of every kind, with defaults", () => {
    const provider = { type: "openai-compatible", baseUrl: "http://localhost:11434/v1" };
    const everything = { type: "stdio", command: "mcp-server-everything" };
    const agents = {
      gemini: { type: "acp", command: "gemini", args: ["--acp"], envFrom: ["GEMINI_API_KEY"], files: false },
      local: { type: "ai-sdk", provider, model: "llama", mcpServers: { everything } },
    };
    const read = readAgentsFile(file({ agents }));
    expect(read.agents.gemini).toMatchObject({ env: {}, files: false, terminals: true });
    expect(read.agents.local).toMatchObject({ maxSteps: 25, approvals: { default: "ask" } });
    expect(agentRegistry(read, testHost).names).toEqual(expect.arrayContaining(["demo", "gemini", "local"]));
  });

  test.each([
    ["{", "is not JSON"],
    [{ agents: { Big: { type: "acp", command: "x" } } }, "agents.Big"],
    [{ agents: { a: { type: "acp" } } }, "agents.a.command"],
    [{ agents: { a: { type: "acp", command: "x", comand: "y" } } }, "comand"],
    [{ agents: { a: { type: "soap", command: "x" } } }, "agents.a.type"],
    [{ agents: {}, mcp: { networks: ["10.0.0.0"] } }, "mcp.networks"],
    [{ agents: { a: { ...OPENAI, providers: { local: { provider: OPENAI.provider, models: [] } } } } }, "local.models"],
    [
      { agents: { a: { ...OPENAI, providers: { openai: { provider: OPENAI.provider, models: ["x"] } } } } },
      "another name",
    ],
  ])("says what is wrong with %j", (content, words) => {
    expect(() => readAgentsFile(file(content))).toThrow(words);
  });

  test("HOST2: keys come from a file that only its owner can read, and no message shows one", () => {
    expect(readKeysFile(file({ GEMINI_API_KEY: "sk-secret" }))).toEqual({ GEMINI_API_KEY: "sk-secret" });
    expect(() => readKeysFile(file({ GEMINI_API_KEY: "sk-secret" }, 0o644))).toThrow("can be read by others");
    for (const content of ['{"A": "sk-secret"', { A: { B: "sk-secret" } }]) {
      expect(() => readKeysFile(file(content))).toThrow(/^(?!.*sk-secret)/s);
    }
  });
});
