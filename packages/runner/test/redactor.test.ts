import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { AgentClient, AgentEvent } from "../src/agent-client.ts";
import { AgentEnvironment } from "../src/agent-environment.ts";
import { DiscreetAgent } from "../src/agents/discreet-agent.ts";
import { Redactor } from "../src/agents/redactor.ts";

const KEY = "sk-abcdabcd-1234";

function redact(events: AgentEvent[]): AgentEvent[] {
  const stream = new Redactor(new Set([KEY, "other-secret"])).stream();
  return [...events.flatMap((event) => stream.take(event)), ...stream.end()];
}

function textOf(events: AgentEvent[]): string {
  return events.map((event) => ("delta" in event ? event.delta : "")).join("");
}

describe("HOST2: what an agent says never shows a key", () => {
  test("not in a tool's arguments, results or errors, nor in a question, wherever it stands", () => {
    const update: AgentEvent = {
      type: "message.part.tool-update",
      callId: "c",
      toolName: "bash",
      status: "completed",
      args: { command: `echo ${KEY}`, [KEY]: 1 },
      result: [{ output: `A=${KEY}\nB=other-secret${KEY}` }, 7, null],
      error: KEY,
    };
    const question: AgentEvent = { type: "question", questionId: "q", kind: "text", prompt: `Is it ${KEY}?` };
    const told = JSON.stringify(redact([update, question]));
    expect(told).not.toContain(KEY);
    expect(told).not.toContain("other-secret");
    expect(told).toContain("B=[hidden][hidden]");
  });

  test("OPT4: nor a key that came with the prompt alone", async () => {
    const talkative: AgentClient = {
      async *prompt({ apiKey = "" }) {
        yield { type: "message.part.text-delta", delta: `It is ${apiKey.slice(0, 5)}` };
        yield { type: "message.part.text-delta", delta: `${apiKey.slice(5)}.` };
        throw new Error(`${apiKey} is wrong.`);
      },
      answer: () => {},
      dispose: async () => {},
    };
    const agent = new DiscreetAgent(talkative, new Set());
    const prompt = { turnId: "t", userId: "u", text: "hello", apiKey: "sk-of-this-prompt" };
    const told: AgentEvent[] = [];
    const hear = async () => {
      for await (const event of agent.prompt(prompt, new AbortController().signal)) told.push(event);
    };
    await expect(hear()).rejects.toThrow("[hidden] is wrong.");
    expect(textOf(told)).toBe("It is [hidden].");
  });

  test("not in a text, however its deltas are cut; and nothing else is changed or kept back", () => {
    const piece = fc.constantFrom(
      KEY,
      "sk-",
      "abcd",
      "abcdabcd",
      "-1234",
      "other-secret",
      "other-",
      "hello ",
      "s",
      "k",
    );
    fc.assert(
      fc.property(fc.array(piece), fc.array(fc.nat(12)), (pieces, cuts) => {
        const text = pieces.join("");
        const deltas: string[] = [];
        let rest = text;
        for (const cut of cuts) {
          deltas.push(rest.slice(0, cut));
          rest = rest.slice(cut);
        }
        const events = [...deltas, rest].map((delta): AgentEvent => ({ type: "message.part.text-delta", delta }));
        const expected = text.replaceAll(KEY, "[hidden]").replaceAll("other-secret", "[hidden]");
        expect(textOf(redact(events))).toBe(expected);
      }),
    );
  });

  test("a text that only begins like a key is told when something else follows", () => {
    const told = redact([
      { type: "message.part.text-delta", delta: "It is sk-abcd" },
      { type: "message.part.reasoning-delta", delta: "abcd-1234" },
    ]);
    expect(told).toEqual([
      { type: "message.part.text-delta", delta: "It is " },
      { type: "message.part.text-delta", delta: "sk-abcd" },
      { type: "message.part.reasoning-delta", delta: "abcd-1234" },
    ]);
  });
});

describe("HOST3: what agents get of the host's environment", () => {
  const environment = new AgentEnvironment({
    env: { OPENAI_API_KEY: "from-the-environment", OPENCODE_CONFIG: "x", SECRET: "s", HTTPS_PROXY: "p", EXTRA: "e" },
    keys: { OPENAI_API_KEY: "from-the-file", OTHER: "other-secret" },
    passed: ["EXTRA"],
  });

  test("is keys, proxies, what the operator lets through and what begins with its own prefix", () => {
    const common = { OPENAI_API_KEY: "from-the-file", OTHER: "other-secret", HTTPS_PROXY: "p", EXTRA: "e" };
    expect(environment.variables()).toEqual(common);
    expect(environment.variables("OPENCODE_")).toEqual({ ...common, OPENCODE_CONFIG: "x" });
  });

  test("the values of keys are secrets, wherever they came from", () => {
    expect([...environment.secrets].sort()).toEqual(["from-the-environment", "from-the-file", "other-secret"]);
  });
});
