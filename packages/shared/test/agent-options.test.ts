import { describe, expect, it } from "vitest";
import { LIMITS } from "../src/limits.ts";
import { agentOptions, apiKey, withUsual } from "../src/types/agent-options.ts";
import { clientCommand, promptInput, runnerCommand } from "../src/types/frames.ts";

describe("OPT1: the options for an agent", () => {
  it.each([
    {},
    { provider: "local", model: "small", temperature: 0, system: "", mcpServers: [] },
    { temperature: 2, system: "x".repeat(LIMITS.systemChars) },
    { mcpServers: Array.from({ length: LIMITS.mcpServers }, () => "x".repeat(LIMITS.mcpServerChars)) },
  ])("are taken at their edges", (options) => {
    expect(agentOptions.parse(options)).toEqual(options);
  });

  it.each([
    { provider: "" },
    { model: 7 },
    { temperature: 2.1 },
    { temperature: -0.1 },
    { temperature: "0.5" },
    { system: "x".repeat(LIMITS.systemChars + 1) },
    { system: ["Be brief."] },
    { mcpServers: "files" },
    { mcpServers: [""] },
    { mcpServers: Array.from({ length: LIMITS.mcpServers + 1 }, () => "x") },
    { mcpServers: ["x".repeat(LIMITS.mcpServerChars + 1)] },
  ])("are refused beyond them: %#", (options) => {
    expect(agentOptions.safeParse(options).success).toBe(false);
    const prompt = { type: "prompt", id: "p", text: "hello" };
    expect(clientCommand.safeParse({ ...prompt, ...options }).success).toBe(false);
  });

  it("OPT4: a key can go out in a header, and is no part of a prompt as it is stored", () => {
    expect(apiKey.safeParse("sk-12345").success).toBe(true);
    for (const wrong of ["short", "with space", "with-a\nnewline", "schlüssel", "x".repeat(LIMITS.keyChars + 1)])
      expect(apiKey.safeParse(wrong).success).toBe(false);
    const sent = { id: "p", text: "hello", apiKey: "sk-12345" };
    expect(promptInput.parse(sent)).toEqual({ id: "p", text: "hello" });
    expect(clientCommand.parse({ type: "prompt", ...sent })).toMatchObject({ apiKey: "sk-12345" });
    const handed = { type: "prompt", turnId: "t", userId: "u", text: "hello", withKey: true, apiKey: "sk-12345" };
    expect(runnerCommand.parse(handed)).toEqual(handed);
  });
});

describe("OPT1: what was given counts before what is usual", () => {
  const usual = { provider: "a", model: "a1", temperature: 1, system: "Be brief.", mcpServers: ["files"] };

  it.each([
    [{}, usual],
    [{ model: "a2" }, { ...usual, model: "a2" }],
    [
      { temperature: 0, system: "", mcpServers: [] },
      { ...usual, temperature: 0, system: "", mcpServers: [] },
    ],
    [
      { provider: "b", model: "b1" },
      { ...usual, provider: "b", model: "b1" },
    ],
    [{ provider: "b" }, { ...usual, provider: "b", model: undefined }],
    [{ provider: "a" }, usual],
  ])("%j", (given, result) => {
    expect(withUsual(given, usual)).toEqual(result);
    expect(withUsual(given, {})).toEqual({ ...withUsual({}, {}), ...given });
  });
});
