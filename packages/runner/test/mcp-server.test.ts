import { request as httpRequest } from "node:http";
import type { Answer } from "@agent-ops/shared/questions";
import { createMCPClient } from "@ai-sdk/mcp";
import { describe, expect, onTestFinished, test } from "vitest";
import type { AgentClient, AgentContext, AgentEvent, ToolServer } from "../src/agent-client.ts";
import type { SpawnWish } from "../src/mcp-server/desk.ts";
import { EquippedAgent } from "../src/mcp-server/equipped-agent.ts";
import { ToolHost } from "../src/mcp-server/tool-host.ts";

type Call = { name: string; arguments?: Record<string, unknown> };

/** An agent that calls one of the runner's tools, with a real MCP client, and says what came of it. */
class ToolCaller implements AgentClient {
  #context: AgentContext;
  answered: string[] = [];

  constructor(context: AgentContext) {
    this.#context = context;
  }

  async *prompt({ text }: { text: string }, signal: AbortSignal): AsyncGenerator<AgentEvent> {
    const client = await connect(await addressOf(this.#context));
    try {
      const call: Call = JSON.parse(text);
      const result = await client.callTool({ ...call, options: { signal } });
      yield { type: "message.part.text-delta", delta: JSON.stringify(result) };
    } finally {
      await client.close();
    }
  }

  answer(questionId: string): void {
    this.answered.push(questionId);
  }

  async dispose(): Promise<void> {}
}

async function addressOf({ toolServer }: AgentContext): Promise<ToolServer> {
  if (!toolServer) throw new Error("No tools.");
  return toolServer();
}

function connect({ url, password }: ToolServer) {
  const headers = { authorization: `Bearer ${password}` };
  return createMCPClient({ transport: { type: "http", url, headers } });
}

interface Rig {
  agent: EquippedAgent;
  context: AgentContext;
  wishes: SpawnWish[];
  ask(call: Call, answer?: Answer): Promise<AgentEvent[]>;
}

function start(host = new ToolHost(), sessionId = "s1"): Rig {
  const wishes: SpawnWish[] = [];
  const spawn = async (_: string, wish: SpawnWish) => {
    wishes.push(wish);
    return "child-1";
  };
  let context: AgentContext = { sessionId, workspace: "/", home: "/" };
  const agent = new EquippedAgent({ host, spawn }, context, (equipped) => {
    context = equipped;
    return new ToolCaller(equipped);
  });
  onTestFinished(() => agent.dispose());
  const ask = async (call: Call, answer?: Answer) => {
    const events: AgentEvent[] = [];
    const prompt = { turnId: "t1", userId: "ada", text: JSON.stringify(call) };
    for await (const event of agent.prompt(prompt, new AbortController().signal)) {
      events.push(event);
      if (event.type === "question" && answer) agent.answer(event.questionId, answer);
    }
    return events;
  };
  return { agent, context, wishes, ask };
}

function saidIn(events: AgentEvent[]): { content: { text: string }[]; isError?: boolean } {
  const text = events.map((event) => (event.type === "message.part.text-delta" ? event.delta : "")).join("");
  return JSON.parse(text);
}

describe("the runner's own tools", () => {
  test("TOOL1: a question is asked in the turn, and its answer goes to the agent", async () => {
    const { ask } = start();
    const question = "Which one?";
    const options = ["a", "b"].map((value) => ({ value, label: value.toUpperCase() }));
    const choice = await ask({ name: "ask_user", arguments: { question, options } }, { value: "b" });
    expect(choice[0]).toMatchObject({ type: "question", kind: "choice", prompt: question, options });
    expect(saidIn(choice).content).toEqual([{ type: "text", text: "b" }]);
    const text = await ask({ name: "ask_user", arguments: { question } }, { value: "whatever" });
    expect(text[0]).toMatchObject({ type: "question", kind: "text" });
    expect(saidIn(text).content).toEqual([{ type: "text", text: "whatever" }]);
  });

  test("TOOL2: a title is set", async () => {
    const { ask } = start();
    expect((await ask({ name: "set_title", arguments: { title: "A new name" } }))[0]).toEqual({
      type: "title",
      title: "A new name",
    });
  });

  test("TOOL3: a child session is started", async () => {
    const { ask, wishes } = start();
    const said = saidIn(await ask({ name: "spawn_session", arguments: { prompt: "Do it.", title: "A child" } }));
    expect(said.content[0]?.text).toContain("child-1");
    expect(wishes).toEqual([{ prompt: "Do it.", title: "A child" }]);
  });

  test("what does not fit is told to the model", async () => {
    const { ask } = start();
    expect(saidIn(await ask({ name: "set_title", arguments: { title: "" } }))).toMatchObject({ isError: true });
    await expect(ask({ name: "no_such_tool" })).rejects.toThrow("no such tool");
  });

  test("TOOL1: other questions are the agent's own", () => {
    const { agent } = start();
    expect(() => agent.answer("unknown", { value: "x" })).not.toThrow();
  });

  test("TOOL1: an abort withdraws the question", async () => {
    const { agent } = start();
    const controller = new AbortController();
    const text = JSON.stringify({ name: "ask_user", arguments: { question: "Well?" } });
    const asking = (async () => {
      for await (const event of agent.prompt({ turnId: "t1", userId: "ada", text }, controller.signal)) {
        if (event.type === "question") controller.abort();
      }
    })();
    await expect(asking).rejects.toThrow(/abort/i);
  });
});

describe("TOOL4: the door", () => {
  async function status(url: string, headers: Record<string, string>, method = "POST"): Promise<number> {
    const { promise, resolve, reject } = Promise.withResolvers<number>();
    const body = method === "POST" ? JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" }) : undefined;
    httpRequest(url, { method, headers }, (response) => resolve(response.resume().statusCode ?? 0))
      .on("error", reject)
      .end(body);
    return promise;
  }

  test("opens with the session's own password alone, on loopback, for no page of a browser", async () => {
    const host = new ToolHost();
    const [one, other] = await Promise.all(["s1", "s2"].map((id) => addressOf(start(host, id).context)));
    if (!one || !other) throw new Error("No addresses.");
    expect(one.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\//);
    const bearer = (password: string) => ({ authorization: `Bearer ${password}` });
    expect(await status(one.url, bearer(one.password))).toBe(200);
    expect(await status(one.url, {})).toBe(401);
    expect(await status(one.url, bearer(other.password))).toBe(401);
    expect(await status(one.url, bearer(`${one.password}x`))).toBe(401);
    expect(await status(one.url.replace("s1", "s3"), bearer(one.password))).toBe(401);
    expect(await status(one.url, { ...bearer(one.password), host: "evil.example" })).toBe(403);
    expect(await status(one.url, { ...bearer(one.password), origin: "https://evil.example" })).toBe(403);
    expect(await status(one.url, bearer(one.password), "GET")).toBe(405);
  });

  test("closes with the agent, and its tools do nothing outside a turn", async () => {
    const { agent, context } = start();
    const server = await addressOf(context);
    const client = await connect(server);
    onTestFinished(() => client.close());
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual([
      "ask_user",
      "set_title",
      "spawn_session",
    ]);
    expect(await client.callTool({ name: "set_title", arguments: { title: "x" } })).toMatchObject({
      isError: true,
      content: [{ text: "There is no turn now." }],
    });
    await agent.dispose();
    expect(await status(server.url, { authorization: `Bearer ${server.password}` })).toBe(401);
  });
});
