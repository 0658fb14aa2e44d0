import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import type { Answer } from "@agent-ops/shared/questions";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import type { AgentClient, AgentEvent } from "../src/agent-client.ts";
import { createDemoAgent } from "../src/agents/demo.ts";
import { tempDir } from "./support/temp-dir.ts";

// Processes start slowly on a busy machine.
vi.setConfig({ testTimeout: 20_000 });

interface Demo {
  workspace: string;
  agent: AgentClient;
  /** The commands, each time that it told them. */
  told: AgentEvent[];
  ask(text: string, answer?: Answer): Promise<AgentEvent[]>;
}

let turnCount = 0;

function startDemo(earlier?: { home: string; agentSessionId: string }): Demo {
  const workspace = tempDir();
  const agent = createDemoAgent({ sessionId: "s1", workspace, home: tempDir(), ...earlier });
  onTestFinished(() => agent.dispose());
  const told: AgentEvent[] = [];
  const ask = async (text: string, answer?: Answer) => {
    const events: AgentEvent[] = [];
    turnCount += 1;
    for await (const event of agent.prompt(promptOf(text), new AbortController().signal)) {
      (event.type === "commands" ? told : events).push(event);
      if (event.type === "question" && answer) agent.answer(event.questionId, answer);
    }
    return events;
  };
  return { workspace, agent, told, ask };
}

function promptOf(text: string) {
  return { turnId: `turn-${turnCount}`, userId: "ada", text };
}

function textOf(events: AgentEvent[]): string {
  return events.map((event) => (event.type === "message.part.text-delta" ? event.delta : "")).join("");
}

function toolsOf(events: AgentEvent[]) {
  return events.filter((event) => event.type === "message.part.tool-update");
}

function statusesOf(events: AgentEvent[]): string[] {
  return toolsOf(events).map((event) => event.status);
}

function questionOf(events: AgentEvent[]) {
  return events.find((event) => event.type === "question");
}

/** The environment of every process that works in a folder. */
function environmentsOf(folder: string): string[] {
  const processes = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  const inside = processes.filter((pid) => {
    try {
      return readlinkSync(`/proc/${pid}/cwd`) === folder;
    } catch {
      return false;
    }
  });
  return inside.map((pid) => readFileSync(`/proc/${pid}/environ`, "utf8"));
}

describe("text", () => {
  test("RUN11: the first turn tells the commands there are", async () => {
    const demo = startDemo();
    await demo.ask("/empty");
    await demo.ask("Hello");
    expect(demo.told).toEqual([{ type: "commands", commands: expect.any(Array) }]);
    expect(demo.told[0]).toHaveProperty(
      "commands",
      expect.arrayContaining([
        { name: "tools", description: "calls a tool N times, with text between", hint: "N" },
        { name: "tour", description: "thinks, calls tools and asks for approval in one turn" },
      ]),
    );
  });

  test("ordinary text is quoted word by word, and earlier messages are remembered", async () => {
    const demo = startDemo();
    const first = await demo.ask("what is up?");
    expect(textOf(first)).toContain('You said: "what is up?"');
    expect(first.length).toBeGreaterThan(5);
    await demo.ask("/empty");
    expect(textOf(await demo.ask("again"))).toContain("That is your 3rd message here.");
  });

  test("/stream N 0 yields exactly N deltas in order", async () => {
    const events = await startDemo().ask("/stream 5000 0");
    expect(events).toHaveLength(5000);
    expect(textOf(events)).toBe(Array.from({ length: 5000 }, (_, index) => `t${index} `).join(""));
  });

  test("/stream N ms keeps its pace", async () => {
    const start = performance.now();
    const events = await startDemo().ask("/stream 5 20");
    expect(textOf(events)).toBe("t0 t1 t2 t3 t4 ");
    expect(performance.now() - start).toBeGreaterThan(75);
  });

  test.each(["/stream", "/stream 0", "/stream 1000001", "/stream x", "/stream 5 -1", "/tools", "/steps 1.5"])(
    "%s gets a text that says what is wrong",
    async (prompt) => {
      const events = await startDemo().ask(prompt);
      expect(textOf(events)).toMatch(/^That does not work: use `\/\w+ N.*`, where N is a whole number from 1 to/);
    },
  );

  test("LIFE1 /remember lists what was asked, also of an earlier process by the agent's own name for it", async () => {
    const first = startDemo();
    const home = tempDir();
    expect(textOf(await first.ask("/remember"))).toContain("first thing");
    const agentSessionId = (await first.agent.session?.()) ?? "";
    const before = startDemo({ home, agentSessionId });
    await before.ask("the first");
    await before.agent.dispose();
    const after = startDemo({ home, agentSessionId });
    expect(await after.agent.session?.()).toBe(agentSessionId);
    expect(textOf(await after.ask("/remember"))).toBe("You asked me before:\n\n- the first\n");
    const other = startDemo({ home, agentSessionId: "../../etc/passwd" });
    expect(await other.agent.session?.()).toMatch(/^[\w-]+$/);
    expect(textOf(await other.ask("/remember"))).toContain("first thing");
  });

  test("/think reasons before it speaks", async () => {
    const types = (await startDemo().ask("/think")).map((event) => event.type);
    expect(types[0]).toBe("message.part.reasoning-delta");
    expect(types.at(-1)).toBe("message.part.text-delta");
    expect(new Set(types).size).toBe(2);
  });

  test("/steps N separates N texts by steps", async () => {
    const events = await startDemo().ask("/steps 2");
    expect(events.filter((event) => event.type === "message.step")).toHaveLength(1);
    expect(textOf(events)).toBe("This is step 1 of 2.This is step 2 of 2.");
  });

  test("/empty yields nothing", async () => {
    expect(await startDemo().ask("/empty")).toEqual([]);
  });

  test("/help names every command, an unknown one names /help", async () => {
    const demo = startDemo();
    const help = textOf(await demo.ask("/help"));
    const names =
      "stream think tool tools tool-error progress args steps edit approve ask form error crash hang remember empty";
    for (const name of [...names.split(" "), "help"]) expect(help).toMatch(new RegExp(`^- \`/${name}[ \`]`, "m"));
    expect(textOf(await demo.ask("/nonsense now"))).toContain("/help");
  });
});

describe("tools", () => {
  test("/tool lists the workspace", async () => {
    const demo = startDemo();
    writeFileSync(join(demo.workspace, "a.txt"), "");
    mkdirSync(join(demo.workspace, "src"));
    const events = await demo.ask("/tool");
    expect(statusesOf(events)).toEqual(["pending", "running", "completed"]);
    const [, running, completed] = toolsOf(events);
    expect(running).toMatchObject({ toolName: "list_files", args: { path: "." } });
    expect(completed?.result).toEqual({ files: ["a.txt", "src/"] });
  });

  test("/tools N makes N calls with text between", async () => {
    const events = await startDemo().ask("/tools 3");
    expect(new Set(toolsOf(events).map((event) => event.callId)).size).toBe(3);
    expect(textOf(events)).toContain("Call 3 of 3.");
  });

  test("/tool-error fails the tool, not the turn", async () => {
    const events = await startDemo().ask("/tool-error");
    expect(statusesOf(events)).toEqual(["pending", "running", "error"]);
    expect(textOf(events)).toContain("The tool failed");
  });

  test("EV6 /progress gives three partial results, then the whole one", async () => {
    const updates = toolsOf(await startDemo().ask("/progress"));
    const results = updates.filter((update) => update.result !== undefined);
    expect(results.map((update) => update.preliminary ?? false)).toEqual([true, true, true, false]);
    expect(results.at(-1)?.status).toBe("completed");
  });

  test("/args streams the arguments and then gives them whole", async () => {
    const updates = toolsOf(await startDemo().ask("/args"));
    const streamed = updates.map((update) => update.argsDelta ?? "").join("");
    const running = updates.find((update) => update.status === "running");
    expect(JSON.parse(streamed)).toEqual(running?.args);
    expect(updates.at(-1)?.status).toBe("completed");
  });

  test("/edit writes inside the workspace", async () => {
    const demo = startDemo();
    const events = await demo.ask("/edit notes/today.md Buy milk\nand bread");
    expect(statusesOf(events).at(-1)).toBe("completed");
    expect(readFileSync(join(demo.workspace, "notes/today.md"), "utf8")).toBe("Buy milk\nand bread");
  });

  test("/edit refuses a path that leaves the workspace, also through a link", async () => {
    const demo = startDemo();
    const outside = tempDir();
    symlinkSync(outside, join(demo.workspace, "out"));
    symlinkSync(join(outside, "dangling.txt"), join(demo.workspace, "link.txt"));
    for (const path of ["../x.txt", `${outside}/x.txt`, "out/x.txt", "link.txt"]) {
      const [, , last] = toolsOf(await demo.ask(`/edit ${path} hello`));
      expect(last?.status, path).toBe("error");
    }
    expect(existsSync(join(outside, "x.txt"))).toBe(false);
    expect(existsSync(join(outside, "dangling.txt"))).toBe(false);
  });
});

describe("questions", () => {
  test("/approve asks about its tool call, and does what was approved", async () => {
    const demo = startDemo();
    const events = await demo.ask("/approve", { approved: true });
    expect(questionOf(events)).toMatchObject({
      kind: "approval",
      prompt: "Run `touch approved.txt`?",
      callId: toolsOf(events)[0]?.callId,
    });
    expect(statusesOf(events)).toEqual(["pending", "running", "completed"]);
    expect(existsSync(join(demo.workspace, "approved.txt"))).toBe(true);
  });

  test("/approve refused fails the tool with the reason and goes on", async () => {
    const demo = startDemo();
    const events = await demo.ask("/approve", { approved: false, reason: "not today" });
    expect(toolsOf(events).at(-1)).toMatchObject({ status: "error", error: "The user refused: not today" });
    expect(textOf(events)).toContain("You refused");
    expect(existsSync(join(demo.workspace, "approved.txt"))).toBe(false);
  });

  test("/ask offers three options and quotes the choice", async () => {
    const events = await startDemo().ask("/ask", { value: "green" });
    expect(questionOf(events)?.options).toHaveLength(3);
    expect(textOf(events)).toContain('"green"');
  });

  test("/form has a JSON Schema and quotes the content", async () => {
    const demo = startDemo();
    const content = { name: "Ada", color: "blue", count: 3 };
    const events = await demo.ask("/form", { action: "accept", content });
    expect(Object.keys(Object(questionOf(events)?.schema?.properties))).toEqual(["name", "color", "count"]);
    expect(textOf(events)).toContain(JSON.stringify(content));
    expect(textOf(await demo.ask("/form", { action: "decline" }))).toContain("did not fill in");
  });

  test("every question has an id of its own", async () => {
    const demo = startDemo();
    const first = questionOf(await demo.ask("/ask", { value: "red" }));
    const second = questionOf(await demo.ask("/ask", { value: "red" }));
    expect(first?.questionId).not.toBe(second?.questionId);
  });
});

describe("bad endings", () => {
  test("/error throws a text for people", async () => {
    await expect(startDemo().ask("/error")).rejects.toThrow("failed on purpose");
  });

  test("RUN8 /crash: what was said arrives, the turn fails, the next prompt starts the agent anew", async () => {
    const demo = startDemo();
    const heard: AgentEvent[] = [];
    const crash = async () => {
      for await (const event of demo.agent.prompt(promptOf("/crash"), new AbortController().signal)) heard.push(event);
    };
    await expect(crash()).rejects.toThrow("The agent's process ended unexpectedly (signal SIGKILL).");
    expect(textOf(heard)).toBe("My process is about to");
    expect(textOf(await demo.ask("hello"))).toContain("That is your 2nd message here.");
  });

  test("an agent that cannot be started is a turn that says so, and can be tried again", async () => {
    const demo = startDemo();
    rmSync(demo.workspace, { recursive: true });
    await expect(demo.ask("hello")).rejects.toThrow(/ended unexpectedly \(.*ENOENT\)/);
    mkdirSync(demo.workspace);
    expect(textOf(await demo.ask("hello"))).toContain("1st message");
  });

  test("RUN8 the death of the process between turns is not noticed by people", async () => {
    const demo = startDemo();
    await demo.ask("/empty");
    await demo.agent.dispose();
    expect(textOf(await demo.ask("hello"))).toContain("2nd message");
  });

  test.each(["/hang", "/stream 1000000 0", "/stream 1000 10", "/ask", "/approve"])(
    "%s ends when aborted",
    async (text) => {
      const demo = startDemo();
      const controller = new AbortController();
      const events = demo.agent.prompt(promptOf(text), controller.signal);
      if (text === "/hang") setImmediate(() => controller.abort());
      for await (const _ of events) controller.abort();
      expect(textOf(await demo.ask("still there?"))).toContain("That is your 2nd message here.");
    },
  );

  test("the agent sees neither the runner's environment nor its token", async () => {
    process.env.AGENT_OPS_RUNNER_TOKEN = "secret";
    onTestFinished(() => {
      delete process.env.AGENT_OPS_RUNNER_TOKEN;
    });
    const demo = startDemo();
    for await (const _ of demo.agent.prompt(promptOf("/empty"), new AbortController().signal));
    expect(environmentsOf(demo.workspace).join()).not.toContain("secret");
    expect(environmentsOf(demo.workspace)).toHaveLength(1);
  });
});
