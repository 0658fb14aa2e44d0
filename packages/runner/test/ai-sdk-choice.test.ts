import { describe, expect, test } from "vitest";
import { chooseModel, chooseServers } from "../src/agents/ai-sdk/choice.ts";
import type { ResolvedServer } from "../src/agents/ai-sdk/program-settings.ts";
import { addressRules } from "../src/agents/mcp/address-rules.ts";

const settings = { type: "openai" as const, keyFrom: "OPENAI_API_KEY" };
const PROVIDERS = [
  { name: "openai", settings, models: ["big", "small"] },
  { name: "local", settings, models: ["tiny", "small"] },
];

const SERVERS: ResolvedServer[] = [
  { type: "stdio", name: "files", command: "mcp-server-filesystem", args: [], env: {} },
  { type: "http", name: "docs", url: "https://docs.example.com/mcp", headers: { authorization: "Bearer x" } },
];
const RULES = addressRules({ allow: ["https://more.example.com"], loopback: false, networks: [] }, [
  "https://docs.example.com/mcp",
]);

describe("OPT2: a model of the host's configuration", () => {
  test.each([
    [{}, "openai", "big"],
    [{ model: "small" }, "openai", "small"],
    [{ model: "tiny" }, "local", "tiny"],
    [{ provider: "local" }, "local", "tiny"],
    [{ provider: "local", model: "small" }, "local", "small"],
  ])("%j", (wish, provider, model) => {
    expect(chooseModel(PROVIDERS, wish)).toMatchObject({ provider: { name: provider }, model });
  });

  test.each([
    [{ provider: "other" }, 'This agent has no provider "other". It has: openai, local.'],
    [{ model: "huge" }, 'This agent has no model "huge". It has: big, small, tiny.'],
    [
      { provider: "local", model: "big" },
      'The provider "local" of this agent has no model "big". It has: tiny, small.',
    ],
  ])("and no other: %j", (wish, message) => {
    expect(() => chooseModel(PROVIDERS, wish)).toThrow(message);
  });
});

describe("OPT3: servers that the host allows", () => {
  const choose = (wanted?: string[]) => {
    const { names, addresses } = chooseServers(SERVERS, RULES, wanted);
    return [[...names], addresses.map(({ href }) => href)];
  };

  test.each([
    [undefined, ["files", "docs"], []],
    [[], [], []],
    [["docs", "docs"], ["docs"], []],
    [["https://docs.example.com/mcp"], ["docs"], []],
    [
      ["files", "https://docs.example.com/other", "https://more.example.com/mcp"],
      ["files"],
      ["https://docs.example.com/other", "https://more.example.com/mcp"],
    ],
  ])("%j", (wanted, names, addresses) => {
    expect(choose(wanted)).toEqual([names, addresses]);
  });

  test.each([
    ["shell", 'no MCP server "shell". It has: files, docs. Allowed addresses: https://more.example.com, https://docs'],
    ["https://else.example.com/mcp", "else.example.com. https://else.example.com is not among the allowed addresses."],
    ["https://anna:secret@more.example.com/mcp", "An address must not hold a password."],
    ["file:///etc/passwd", "Only http and https are allowed."],
    ["http://127.0.0.1/mcp", "not among the allowed addresses"],
  ])("and no others: %s", (wish, message) => {
    expect(() => choose([wish])).toThrow(message);
    expect(() => choose([wish])).toThrow(/^(?!.*secret)/s);
  });
});
