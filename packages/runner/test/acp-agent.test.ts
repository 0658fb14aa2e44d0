import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as after } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { Answer } from "@agent-ops/shared/questions";
import { client } from "@agentclientprotocol/sdk";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import type { AgentClient, AgentEvent, SessionNews } from "../src/agent-client.ts";
import { FilesClient } from "../src/agents/acp/files-client.ts";
import { AcpProcess } from "../src/agents/acp/process.ts";
import { acpSettings } from "../src/agents/acp/settings.ts";
import { Terminals } from "../src/agents/acp/terminals.ts";
import { acpAgent } from "../src/agents/acp.ts";
import { createLog } from "../src/log.ts";
import { eventually } from "./support/eventually.ts";
import { tempDir } from "./support/temp-dir.ts";

// Processes start slowly on a busy machine.
vi.setConfig({ testTimeout: 20_000 });

const PROGRAM = fileURLToPath(new URL("./support/acp-agent.ts", import.meta.url));

interface Rig {
  workspace: string;
  home: string;
  agent: AgentClient;
  log: string[];
  news: SessionNews[];
  ask(order: object, answer?: Answer): Promise<AgentEvent[]>;
}

let turnCount = 0;

function start(settings: object = {}, earlier: { home?: string; agentSessionId?: string } = {}): Rig {
  const place = { workspace: tempDir(), home: tempDir(), ...earlier };
  const log: string[] = [];
  const full = acpSettings.parse({ type: "acp", command: process.execPath, args: [PROGRAM], ...settings });
  const news: SessionNews[] = [];
  const agent = acpAgent(
    "test",
    full,
  )({ sessionId: "s1", ...place, log: createLog((line) => log.push(line)), tell: (told) => news.push(told) });
  onTestFinished(() => agent.dispose());
  const ask = async (order: object, answer?: Answer) => {
    const events: AgentEvent[] = [];
    for await (const event of agent.prompt(promptOf(order), new AbortController().signal)) {
      events.push(event);
      if (event.type === "question" && answer) agent.answer(event.questionId, answer);
    }
    return events;
  };
  return { ...place, agent, log, news, ask };
}

function promptOf(order: object) {
  turnCount += 1;
  return { turnId: `turn-${turnCount}`, userId: "ada", text: JSON.stringify(order) };
}

function textOf(events: AgentEvent[]): string {
  return events.map((event) => (event.type === "message.part.text-delta" ? event.delta : "")).join("");
}

function auditOf(events: AgentEvent[]) {
  return events.filter((event) => event.type === "audit");
}

describe("files", () => {
  test("ACP3: are read and written in the workspace", async () => {
    const { workspace, ask } = start();
    const path = join(workspace, "deep/notes.txt");
    expect(textOf(await ask({ do: "write", path, content: "one\ntwo" }))).toBe("written");
    expect(readFileSync(path, "utf8")).toBe("one\ntwo");
    expect(textOf(await ask({ do: "read", path }))).toBe("one\ntwo");
  });

  test("ACP3: outside of it are refused and audited, by whatever way", async () => {
    const { workspace, ask } = start();
    const outside = tempDir();
    writeFileSync(join(outside, "secret.txt"), "secret");
    symlinkSync(outside, join(workspace, "link"));
    symlinkSync(join(outside, "secret.txt"), join(workspace, "linked.txt"));
    symlinkSync(join(outside, "new.txt"), join(workspace, "dangling.txt"));
    const ways = ["link/secret.txt", "linked.txt", "../../../../../../etc/passwd"].map((way) => `${workspace}/${way}`);
    for (const path of [...ways, join(outside, "secret.txt"), "/etc/passwd", "relative.txt"]) {
      await expect(ask({ do: "read", path }), path).rejects.toThrow(/workspace|absolute/);
    }
    for (const path of [`${workspace}/link/new.txt`, `${workspace}/dangling.txt`, join(outside, "new.txt")]) {
      await expect(ask({ do: "write", path, content: "x" }), path).rejects.toThrow("workspace");
    }
    expect(existsSync(join(outside, "new.txt"))).toBe(false);
  });

  test("ACP3: what was refused stands in the audit log", async () => {
    const { agent } = start();
    const events: AgentEvent[] = [];
    const reading = (async () => {
      const turn = agent.prompt(promptOf({ do: "read", path: "/etc/passwd" }), new AbortController().signal);
      for await (const event of turn) events.push(event);
    })();
    await expect(reading).rejects.toThrow("leads out of the workspace");
    expect(auditOf(events)).toEqual([
      { type: "audit", action: "refused-outside", detail: "fs/read_text_file: /etc/passwd" },
    ]);
  });

  test("ACP3: whose answer is longer than can be read in one piece are refused, and others are read again", async () => {
    const workspace = tempDir();
    const files = new FilesClient({ workspace, home: tempDir() });
    onTestFinished(() => files.dispose());
    // Each of these takes six characters in JSON.
    writeFileSync(join(workspace, "long.txt"), "\u0001".repeat(6 * 1024 * 1024));
    writeFileSync(join(workspace, "short.txt"), "short");
    const read = (name: string) => files.ask({ type: "read", path: join(workspace, name) });
    expect(await read("long.txt")).toMatchObject({ outcome: "failed" });
    expect(await read("short.txt")).toMatchObject({ outcome: "done", content: "short" });
  });

  test("ACP3: are not offered where the host says so", async () => {
    const { workspace, ask } = start({ files: false });
    await expect(ask({ do: "read", path: join(workspace, "a.txt") })).rejects.toThrow("not found");
  });
});

describe("commands", () => {
  test("ACP7: are told when they change, and again with the next turn", async () => {
    const { ask } = start();
    const told = (name: string) => ({
      type: "commands",
      commands: [{ name, description: "First line", hint: "[topic]" }],
    });
    const commandsIn = (events: AgentEvent[]) => events.filter((event) => event.type === "commands");
    expect(commandsIn(await ask({ do: "commands", content: "plan" }))).toEqual([told("plan")]);
    expect(commandsIn(await ask({ do: "commands", content: "review" }))).toEqual([told("plan"), told("review")]);
  });
});

describe("a title", () => {
  test("ACP1: that comes when the turn is over is told all the same, the first one alone", async () => {
    const { ask, news } = start();
    await ask({ do: "title later", content: "First" });
    await eventually(() => news).toEqual([{ type: "title", title: "First" }]);
    await ask({ do: "title later", content: "Second" });
    await ask({ do: "remember" });
    expect(news).toHaveLength(1);
  });
});

describe("terminals", () => {
  test("ACP4: run in the workspace with a scrubbed environment", async () => {
    const { workspace, ask } = start();
    mkdirSync(join(workspace, "inner"));
    const command = "echo $GREETING > made.txt; pwd; exit 3";
    const said = JSON.parse(textOf(await ask({ do: "terminal", command, cwd: join(workspace, "inner") })));
    expect(said.status).toEqual({ exitCode: 3, signal: null });
    expect(said.said).toMatchObject({ output: `${join(workspace, "inner")}\n`, truncated: false });
    expect(readFileSync(join(workspace, "inner/made.txt"), "utf8")).toBe("hi\n");
  });

  test("ACP4: keep the end of what they print, in whole characters", async () => {
    const terminals = new Terminals({ workspace: tempDir(), home: tempDir() });
    onTestFinished(() => terminals.dispose());
    const id = await terminals.create({ command: "yes aéé | head -c 30000; echo the end", outputByteLimit: 1_000 });
    expect(await terminals.get(id).exited).toEqual({ exitCode: 0, signal: null });
    const { output, truncated } = terminals.get(id).output;
    expect([truncated, output.endsWith("the end\n"), output.includes("\uFFFD")]).toEqual([true, true, false]);
    expect(Buffer.byteLength(output)).toBeLessThanOrEqual(1_000);
    terminals.release(id);
    expect(() => terminals.get(id)).toThrow("no such terminal");
  });

  test("ACP4: end with what they started", async () => {
    const workspace = tempDir();
    const terminals = new Terminals({ workspace, home: tempDir() });
    const id = await terminals.create({ command: "sh", args: ["-c", "sleep 71 & sleep 72"] });
    const { exited } = terminals.get(id);
    terminals.release(id);
    expect(await exited).toMatchObject({ signal: "SIGKILL" });
  });

  test("ACP4: do not start outside of it", async () => {
    const { ask } = start();
    await expect(ask({ do: "terminal", command: "pwd", cwd: "/etc" })).rejects.toThrow("workspace");
  });
});

describe("questions", () => {
  test.each([
    [{ approved: true }, "yes"],
    [{ approved: true, always: true }, "ever"],
    [{ approved: false, reason: "not now" }, "no"],
  ])("ACP2: a permission is an approval: %j", async (answer, optionId) => {
    const { ask } = start();
    const events = await ask({ do: "permission" }, answer);
    expect(events.find(({ type }) => type === "question")).toMatchObject({
      kind: "approval",
      callId: "call-1",
      toolName: "execute",
      prompt: "Allow execute: do something?",
    });
    expect(JSON.parse(textOf(events))).toEqual({ outcome: "selected", optionId });
    const refused = events.some(
      (event) => event.type === "message.part.tool-update" && event.error === "The user refused: not now",
    );
    expect(refused).toBe(!answer.approved);
  });

  test("ACP2: an elicitation is a form", async () => {
    const { ask } = start();
    const events = await ask({ do: "form" }, { action: "accept", content: { name: "Ada" } });
    expect(events.find(({ type }) => type === "question")).toMatchObject({
      kind: "form",
      prompt: "Who are you?",
      schema: { required: ["name"] },
    });
    expect(JSON.parse(textOf(events))).toEqual({ action: "accept", content: { name: "Ada" } });
  });
});

describe("the agent's process", () => {
  test("SEC1: gets a scrubbed environment and what the host's configuration adds", async () => {
    vi.stubEnv("SECRET_OF_THE_RUNNER", "1");
    const { ask, home } = start({ env: { MODEL: "small" } });
    const env = JSON.parse(textOf(await ask({ do: "environment" })));
    expect(env).toMatchObject({ MODEL: "small", HOME: home });
    expect(env).not.toHaveProperty("SECRET_OF_THE_RUNNER");
  });

  test("ACP1: is not read faster than what it says is taken", async () => {
    const workspace = tempDir();
    const script = `
      const { writeSync, writeFileSync } = require("node:fs");
      const text = "x".repeat(64 * 1024);
      for (let count = 1; count <= 100; count += 1) {
        const params = { sessionId: "s", update: { count, text } };
        writeSync(1, JSON.stringify({ jsonrpc: "2.0", method: "session/update", params }) + "\\n");
        writeFileSync("written", String(count));
      }
      process.stdin.resume();`;
    const ahead: number[] = [];
    const { promise: done, resolve } = Promise.withResolvers<void>();
    const running = new AcpProcess({
      app: client({ name: "test" }),
      command: process.execPath,
      args: ["-e", script],
      env: {},
      place: { workspace, home: tempDir() },
      onUpdate: async () => {
        await after(5);
        ahead.push(Number(readFileSync(join(workspace, "written"), "utf8")) - ahead.length);
        if (ahead.length === 100) resolve();
      },
    });
    onTestFinished(() => running.kill());
    await done;
    expect(Math.max(...ahead)).toBeLessThan(10);
  });

  test("ACP5: that dies ends the turn with a clear error, and the next prompt goes on with the conversation", async () => {
    const { ask, agent } = start();
    await ask({ do: "remember" });
    const session = await agent.session?.();
    await expect(ask({ do: "die" })).rejects.toThrow("The agent's process ended unexpectedly (exit code 7).");
    expect(textOf(await ask({ do: "remember" }))).toBe('{"do":"remember"}\n{"do":"die"}\n{"do":"remember"}\n');
    expect(await agent.session?.()).toBe(session);
  });

  test("ACP5: that was let go finds its conversation again", async () => {
    const first = start();
    await first.ask({ do: "remember" });
    const agentSessionId = await first.agent.session?.();
    await first.agent.dispose();
    const second = start({}, { home: first.home, agentSessionId });
    expect(await second.agent.session?.()).toBe(agentSessionId);
    expect(textOf(await second.ask({ do: "remember" }))).toBe('{"do":"remember"}\n{"do":"remember"}\n');
  });

  test("ACP5: that has lost its conversation begins another", async () => {
    const { agent } = start({}, { agentSessionId: "forgotten" });
    expect(await agent.session?.()).toMatch(/^conversation-/);
  });

  test("ACP5: that is not installed is named", async () => {
    const { agent } = start({ command: "no-such-agent" });
    await expect(agent.session?.()).rejects.toThrow('there is no program "no-such-agent" on this host');
  });

  test("ACP5: follows an abort", async () => {
    const { agent } = start();
    const controller = new AbortController();
    await agent.session?.();
    const events: AgentEvent[] = [];
    setImmediate(() => controller.abort());
    for await (const event of agent.prompt(promptOf({ do: "hang" }), controller.signal)) events.push(event);
    expect(events.at(-1)).toMatchObject({ type: "message.finalize", reason: "canceled" });
  });

  test("TURN6: an abort withdraws what it asked", async () => {
    const { agent } = start();
    const controller = new AbortController();
    const events: AgentEvent[] = [];
    for await (const event of agent.prompt(promptOf({ do: "permission" }), controller.signal)) {
      events.push(event);
      if (event.type === "question") controller.abort();
    }
    expect(textOf(events)).toContain('{"outcome":"cancelled"}');
  });

  test("ACP1: everything that it says arrives, in its order, before the end", async () => {
    const { ask } = start();
    const events = await ask({ do: "many" });
    expect(textOf(events)).toBe(Array.from({ length: 2_000 }, (_, count) => `${count} `).join(""));
    expect(events.at(-1)?.type).toBe("message.finalize");
  });

  test("ACP6: what nobody knows is logged once", async () => {
    const { ask, log } = start();
    await ask({ do: "unknown" });
    await ask({ do: "unknown" });
    expect(log.filter((line) => line.includes("from_the_future"))).toHaveLength(1);
  });
});
