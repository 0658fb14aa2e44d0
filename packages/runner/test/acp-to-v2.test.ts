import { readFileSync } from "node:fs";
import { parseRunnerEvent } from "@agent-ops/shared/frames";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { AgentEvent } from "../src/agent-client.ts";
import { modelChoice } from "../src/agents/acp/models.ts";
import { permissionOutcome } from "../src/agents/acp/permissions.ts";
import { permissionRequest, promptResponse } from "../src/agents/acp/updates.ts";
import { AcpToV2 } from "../src/agents/acp-to-v2.ts";

const AGENTS = ["claude", "codex", "gemini", "opencode", "pi"];
const RECORDINGS = new URL("./recordings/acp/", import.meta.url);

type Message = {
  id?: number;
  method?: string;
  params?: Record<string, unknown>;
  result?: unknown;
  error?: { message: string };
};
type Line = { dir: "<" | ">" | "#"; m: Message | string };

interface Scenario {
  name: string;
  events: (AgentEvent | { type: "failed"; message: string })[];
  unknown: string[];
}

/** What the mapper makes of a recording, by the names of its scenarios. */
function replay(agent: string): Scenario[] {
  const text = readFileSync(new URL(`${agent}.jsonl`, RECORDINGS), "utf8");
  const lines: Line[] = text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  const memory = { costUsd: 0, isNamed: false };
  const scenarios: Scenario[] = [];
  let player = new Player("none", memory);
  for (const { dir, m } of lines) {
    if (typeof m === "string") {
      player = new Player(m, memory);
      scenarios.push(player.scenario);
    } else if (dir === "<") player.heard(m);
    else player.said(m);
  }
  return scenarios;
}

class Player {
  readonly scenario: Scenario;
  #mapper: AcpToV2;
  #prompt: number | undefined;
  #asked = new Map<number, ReturnType<typeof permissionRequest.parse>>();

  constructor(name: string, memory: { costUsd: number; isNamed: boolean }) {
    this.#mapper = new AcpToV2(name, memory);
    this.scenario = { name, events: [], unknown: [] };
  }

  heard({ id, method, params, result, error }: Message): void {
    const { events, unknown } = this.scenario;
    if (method === "session/update") {
      const mapped = this.#mapper.update(params?.update);
      events.push(...mapped.events);
      if (mapped.unknown) unknown.push(mapped.unknown);
    } else if (method === "session/request_permission" && id !== undefined) {
      const request = permissionRequest.parse(params);
      this.#asked.set(id, request);
      events.push(...this.#mapper.permission(request).events);
    } else if (id === this.#prompt && error) events.push({ type: "failed", message: error.message });
    else if (id === this.#prompt && result) events.push(...this.#mapper.finish(promptResponse.parse(result)));
  }

  said({ id, method, result }: Message): void {
    if (method === "session/prompt") this.#prompt = id;
    const request = id === undefined || method ? undefined : this.#asked.get(id);
    const option = (result as { outcome?: { optionId?: string } } | undefined)?.outcome?.optionId;
    if (!request || option === undefined) return;
    const { isRefusal } = permissionOutcome(request.options, { value: option });
    if (isRefusal) this.scenario.events.push(...this.#mapper.refused(request.toolCall.toolCallId));
  }
}

function scene(agent: string, name: string): Scenario["events"] {
  return replay(agent).find((scenario) => scenario.name === name)?.events ?? [];
}

function textOf(events: Scenario["events"]): string {
  return events.map((event) => (event.type === "message.part.text-delta" ? event.delta : "")).join("");
}

function toolsOf(events: Scenario["events"]) {
  return events.filter((event) => event.type === "message.part.tool-update");
}

describe.each(AGENTS)("ACP1: the recording of %s", (agent) => {
  test("gives the same events as before, and no update that nobody knows", async () => {
    const scenarios = replay(agent);
    expect(scenarios.flatMap(({ unknown }) => unknown)).toEqual([]);
    const golden = scenarios.flatMap(({ name, events }) => [
      `# ${name}`,
      ...events.map((event) => JSON.stringify(event)),
    ]);
    await expect(`${golden.join("\n")}\n`).toMatchFileSnapshot(`./recordings/acp/${agent}.golden.jsonl`);
  });

  test("ends every call once, under one name, and every turn once", () => {
    for (const { events } of replay(agent)) {
      const ids = new Set(toolsOf(events).map(({ callId }) => callId));
      for (const id of ids) {
        const updates = toolsOf(events).filter(({ callId }) => callId === id);
        expect(new Set(updates.map(({ toolName }) => toolName)).size).toBe(1);
        const ends = updates.findIndex(({ status }) => status === "completed" || status === "error");
        expect(ends).toBe(updates.length - 1);
      }
      const last = events.filter(({ type }) => type === "message.finalize" || type === "failed");
      expect(last).toEqual([events.findLast(({ type }) => type === "message.finalize" || type === "failed")]);
    }
  });
});

describe("ACP1: what updates mean", () => {
  test("text and reasoning", () => {
    const events = scene("opencode", "text");
    expect(textOf(events)).toBe("Hello! This is a plain streamed answer.");
    expect(events.at(-1)).toEqual({
      type: "message.finalize",
      reason: "end_turn",
      usage: { inputTokens: 90, outputTokens: 20, totalTokens: 120, costUsd: 0.000131 },
    });
  });

  test("a call from its first sign to its result, then a new step", () => {
    const events = scene("opencode", "tool_allow");
    expect(toolsOf(events).map(({ status, toolName }) => [status, toolName])).toEqual([
      ["pending", "bash"],
      ["running", "bash"],
      ["running", "bash"],
      ["completed", "bash"],
    ]);
    expect(toolsOf(events).at(-1)?.result).toMatchObject({ content: [{ type: "text", text: "hi\n" }] });
    expect(events.findIndex(({ type }) => type === "message.step")).toBe(events.length - 3);
  });

  test("ACP2: a call that is told by its permission alone, and refused", () => {
    const events = toolsOf(scene("gemini", "tool_reject"));
    expect(events).toMatchObject([
      { status: "running", toolName: "execute", args: { title: "touch nope.txt" } },
      { status: "error", error: "The user refused." },
    ]);
  });

  test("a plan is a call of its own", () => {
    const [plan] = toolsOf(scene("claude", "plan"));
    expect(plan).toMatchObject({ toolName: "plan", status: "completed", result: { entries: [{}, {}] } });
  });

  test("what was printed in a terminal that the agent runs itself", () => {
    const last = toolsOf(scene("pi", "tool_allow")).at(-1);
    expect(last?.result).toMatchObject({ content: [{ type: "terminal", output: "hi\n", exitCode: 0 }] });
  });

  test("a canceled turn", () => {
    for (const agent of AGENTS) {
      expect(scene(agent, agent === "codex" ? "cancel_perm" : "cancel_stream").at(-1)).toMatchObject({
        reason: "canceled",
      });
    }
  });

  test("ACP6: an update that nobody knows is named and changes nothing", () => {
    const mapper = new AcpToV2("t", { costUsd: 0, isNamed: false });
    expect(mapper.update({ sessionUpdate: "from_the_future", deep: {} })).toEqual({
      events: [],
      unknown: "from_the_future",
    });
    expect(mapper.update("nonsense")).toEqual({ events: [], unknown: "none" });
    expect(mapper.update({ sessionUpdate: "tool_call", toolCallId: 7 })).toEqual({ events: [], unknown: "tool_call" });
  });
});

describe("ACP1: which models there are", () => {
  test.each(AGENTS)("%s says it in its own way", (agent) => {
    const text = readFileSync(new URL(`${agent}.jsonl`, RECORDINGS), "utf8");
    const lines: Line[] = text
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    const answers = lines.flatMap(({ m }) => (typeof m === "object" && m.result ? [m.result] : []));
    const choice = answers.flatMap((answer) => modelChoice(answer) ?? [])[0];
    expect(choice?.models.map(({ id }) => id)).toContain(choice?.usual);
    expect(choice?.choose("s", "m").params).toMatchObject({ sessionId: "s" });
  });

  test("an agent that says nothing has none", () => {
    expect(modelChoice({ sessionId: "s" })).toBeUndefined();
    expect(modelChoice({ configOptions: "nonsense" })).toBeUndefined();
  });
});

describe("ACP6: whatever an agent sends", () => {
  const id = fc.constantFrom("a", "b", "c");
  const status = fc.constantFrom("pending", "in_progress", "completed", "failed", "unheard of", null, undefined);
  const call = fc.record({
    sessionUpdate: fc.constantFrom("tool_call", "tool_call_update"),
    toolCallId: id,
    status,
    title: fc.option(fc.string()),
    rawInput: fc.jsonValue(),
    rawOutput: fc.jsonValue(),
    content: fc.option(
      fc.array(
        fc.record({
          type: fc.constantFrom("content", "diff", "terminal"),
          content: fc.constant({ type: "text", text: "x" }),
        }),
      ),
    ),
  });
  const chunk = fc.record({
    sessionUpdate: fc.constantFrom("agent_message_chunk", "agent_thought_chunk"),
    content: fc.constant({ type: "text", text: "word" }),
  });
  const updates = fc.array(fc.oneof(call, chunk, fc.jsonValue()), { maxLength: 40 });

  test("gives events that the session takes, and ends each call once", () => {
    fc.assert(
      fc.property(updates, (sent) => {
        const mapper = new AcpToV2("t", { costUsd: 0, isNamed: false });
        const told = sent.flatMap((update) => mapper.update(update).events);
        const events = [...told, ...mapper.finish({ stopReason: "end_turn" })];
        for (const event of events) expect(parseRunnerEvent({ ...event, turnId: "t" }).kind).toBe("known");
        for (const callId of ["a", "b", "c"]) {
          const mine = toolsOf(events).filter((event) => event.callId === callId);
          const ends = mine.filter((event) => event.status === "completed" || event.status === "error");
          expect(ends).toEqual(mine.slice(-1));
        }
      }),
    );
  });
});
