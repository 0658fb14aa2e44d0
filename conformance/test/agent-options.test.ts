import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Api, sseChunks } from "../src/api.ts";
import { SocketLine } from "../src/clients/socket-transport.ts";
import { filesWith } from "../src/files-with.ts";
import type { Product } from "../src/product.ts";
import { EVERYTHING, startConfigured } from "../src/real-agents/configured.ts";
import { EverythingServer } from "../src/real-agents/everything-server.ts";
import { type ScriptStep, scripted } from "../src/scripted-model/script.ts";
import { type ModelRequest, SCRIPTED_MODEL, ScriptedModel } from "../src/scripted-model/scripted-model.ts";
import { V2Reader } from "../src/v2-reader.ts";

const HOST_KEY = "sk-of-the-host-41d2";
const SECOND_KEY = "sk-of-the-host-second";
const OWN_KEY = "sk-brought-along-93ab7c";
const SENT_LATER = "sk-brought-along-77fe01";

function toolsOf({ body }: ModelRequest): string[] {
  const { tools } = body as { tools: { function: { name: string } }[] }; // as the OpenAI dialect has it
  return tools.map((tool) => tool.function.name);
}

describe("options for the agent", () => {
  let model: ScriptedModel;
  let server: EverythingServer;
  let product: Product;
  let api: Api;

  beforeAll(async () => {
    [model, server] = await Promise.all([ScriptedModel.start(), EverythingServer.start()]);
    const provider = { type: "openai-compatible", baseUrl: model.openAiUrl, keyFrom: "SCRIPTED_API_KEY" };
    const second = { ...provider, baseUrl: `${model.origin}/second/v1`, keyFrom: "SECOND_API_KEY" };
    const loop = {
      type: "ai-sdk",
      provider,
      model: SCRIPTED_MODEL,
      models: ["other-model"],
      providers: { second: { provider: second, models: ["second-model"] } },
      instructions: "Be brief.",
      mcpServers: { docs: { type: "http", url: server.url }, never: { type: "stdio", ...EVERYTHING } },
      approvals: { default: "allow", tools: { docs_echo: "ask" } },
    };
    product = await startConfigured({
      agents: { loop },
      env: { SCRIPTED_API_KEY: HOST_KEY, SECOND_API_KEY: SECOND_KEY },
    });
    api = await Api.of(product);
  });
  afterAll(async () => {
    await product.destroy();
    await Promise.all([model.close(), server.stop()]);
  });

  function session(options: object = { mcpServers: ["docs"] }): Promise<string> {
    return api.createSession({ agent: "loop", ...options });
  }

  function post(sessionId: string, text: string, options: object): Promise<Response> {
    const messages = [{ role: "user", parts: [{ type: "text", text }] }];
    return api.request("POST", `/api/sessions/${sessionId}/chat`, { id: sessionId, messages, ...options });
  }

  /** One turn: what it said, how it failed, and what the model was asked first. */
  async function ask(sessionId: string, options: object, steps: ScriptStep[] = [{ text: "Done." }]) {
    const words = crypto.randomUUID();
    const response = await post(sessionId, scripted(steps, words), options);
    const chunks = sseChunks(await response.text());
    return {
      text: chunks.map(({ type, delta }) => (type === "text-delta" ? delta : "")).join(""),
      error: chunks.find(({ type }) => type === "error")?.errorText,
      request: model.requestsWith(words)[0],
    };
  }

  it("OPT1, OPT2: what the session says holds for its prompts, and what a prompt says counts first", async () => {
    const usual = { model: "other-model", temperature: 0.2, system: "Speak French.", mcpServers: [] };
    const sessionId = await session(usual);
    const { text, request } = await ask(sessionId, {});
    expect(text).toBe("Done.");
    expect(request).toMatchObject({
      path: "/v1/chat/completions",
      body: { model: "other-model", temperature: 0.2 },
      conversation: { system: "Be brief.\n\nSpeak French." },
      headers: { authorization: `Bearer ${HOST_KEY}` },
    });
    const own = { provider: "second", temperature: 1, system: "Speak German.", mcpServers: ["docs"] };
    const other = await ask(sessionId, own);
    expect(other.request).toMatchObject({
      path: "/second/v1/chat/completions",
      body: { model: "second-model", temperature: 1 },
      conversation: { system: "Be brief.\n\nSpeak German." },
      headers: { authorization: `Bearer ${SECOND_KEY}` },
    });
    const again = await ask(sessionId, {});
    expect(again.request?.body).toMatchObject({ model: "other-model", temperature: 0.2 });
  });

  it("OPT1: the chat WebSocket and the V2 socket take them too", async () => {
    const sessionId = await session({ mcpServers: [] });
    const line = new SocketLine(api, sessionId);
    const stream = await line.transport.sendMessages({
      trigger: "submit-message",
      chatId: sessionId,
      messageId: undefined,
      messages: [
        { id: "m1", role: "user", parts: [{ type: "text", text: scripted([{ text: "Hi." }], "By frames.") }] },
      ],
      abortSignal: undefined,
      body: { model: "second-model" },
    });
    for await (const _ of stream);
    line.close();
    expect(model.requestsWith("By frames.")).toMatchObject([{ body: { model: "second-model" } }]);
    const reader = new V2Reader(api, sessionId);
    await reader.connect();
    const prompt = { type: "prompt", id: "p1", text: scripted([{ text: "Hi." }], "By socket.") };
    reader.send({ ...prompt, temperature: 5 });
    await reader.until(({ others }) => others.some((event) => event.type === "error" && event.code === "bad_request"));
    reader.send({ ...prompt, temperature: 0.5 });
    await reader.untilTurnEnd(2);
    expect(model.requestsWith("By socket.").at(-1)?.body).toMatchObject({ temperature: 0.5 });
  });

  it("OPT3: servers by name, none at all, or by an address that the host allows", async () => {
    const sessionId = await session();
    const docs = await ask(sessionId, {});
    expect(toolsOf(docs.request as ModelRequest)).toContain("docs_echo");
    const none = await ask(sessionId, { mcpServers: [] });
    expect(toolsOf(none.request as ModelRequest).filter((name) => !name.startsWith("agent_ops_"))).toEqual([]);
    const address = await ask(sessionId, { mcpServers: [`${server.url}?own`] });
    const echo = toolsOf(address.request as ModelRequest).find((name) => name.endsWith("_echo")) ?? "";
    expect(echo).toMatch(/^url_127_0_0_1_\w{6}_echo$/);
    const steps = [{ tool: echo, args: { message: "hello" } }, { text: "Echoed." }];
    expect((await ask(sessionId, { mcpServers: [`${server.url}?own`] }, steps)).text).toBe("Echoed.");
  });

  it.each([
    [{ provider: "other" }, 'no provider "other". It has: openai-compatible, second.'],
    [{ model: "huge" }, `no model "huge". It has: ${SCRIPTED_MODEL}, other-model, second-model.`],
    [{ provider: "second", model: SCRIPTED_MODEL }, "It has: second-model."],
    [{ mcpServers: ["shell"] }, 'no MCP server "shell". It has: docs, never.'],
    [{ mcpServers: ["http://169.254.169.254/mcp"] }, "is not among the allowed addresses. It has: docs, never."],
  ])("OPT2, OPT3: what the host does not allow ends the turn, which says what there is: %j", async (options, words) => {
    const { error, request } = await ask(await session(), options);
    expect([error, request]).toEqual([expect.stringContaining(words), undefined]);
  });

  it("OPT1, OPT4: what has a wrong shape is refused at once, and so is a key for a whole session", async () => {
    const sessionId = await session();
    for (const options of [{ temperature: "hot" }, { mcpServers: "docs" }, { system: 7 }, { apiKey: "with space" }]) {
      const chat = await post(sessionId, "hello", options);
      const create = await api.request("POST", "/api/sessions", { agent: "loop", ...options });
      expect([chat.status, create.status], JSON.stringify(options)).toEqual([400, 400]);
    }
    const keyed = await api.request("POST", "/api/sessions", { agent: "loop", apiKey: OWN_KEY });
    expect([keyed.status, (await keyed.json()).message]).toEqual([400, expect.stringContaining("with each prompt")]);
  });

  it("OPT5: an agent that takes none of them works as always", async () => {
    const options = { provider: "x", model: "y", temperature: 1, system: "z", mcpServers: ["shell"] };
    const sessionId = await api.createSession({ agent: "demo", ...options });
    const response = await post(sessionId, "hello", { ...options, apiKey: OWN_KEY });
    expect(await response.text()).toContain('"type":"finish"');
    expect(filesWith(product.data, OWN_KEY)).toEqual([]);
  });

  it("OPT4: a key is used for its turn alone, and lies in no file, no measure and no log", async () => {
    const sessionId = await session({ mcpServers: [] });
    const own = await ask(sessionId, { apiKey: OWN_KEY }, [{ text: "With a key of my own." }]);
    expect([own.text, own.request?.headers.authorization]).toEqual(["With a key of my own.", `Bearer ${OWN_KEY}`]);
    const next = await ask(sessionId, {});
    expect(next.request?.headers.authorization).toBe(`Bearer ${HOST_KEY}`);
    expect(filesWith(product.data, "With a key of my own.").length).toBeGreaterThan(1);
    expect(filesWith(product.data, OWN_KEY)).toEqual([]);
    const metrics = await (await api.request("GET", "/metrics")).text();
    expect(metrics + product.stderr).not.toContain("brought-along");
  });

  it("OPT4: after kill -9 of workerd a turn goes on with its key, one that waited says that its key is lost", async () => {
    const sessionId = await session();
    const reader = new V2Reader(api, sessionId);
    await reader.connect();
    const steps = [{ tool: "docs_echo", args: { message: "hi" } }, { text: "Echoed." }];
    reader.send({ type: "prompt", id: "p1", text: scripted(steps, "Before and after."), apiKey: OWN_KEY });
    await reader.until(({ events }) => events.some(({ type }) => type === "question"));
    reader.send({ type: "prompt", id: "p2", text: "And then?", apiKey: SENT_LATER });
    await reader.until(({ others }) => others.some((event) => event.type === "accepted" && event.promptId === "p2"));
    const closed = reader.closed;
    process.kill(product.workerdPid(), "SIGKILL");
    await closed;
    await reader.reconnect();
    expect([filesWith(product.data, OWN_KEY), filesWith(product.data, SENT_LATER)]).toEqual([[], []]);
    const asked = reader.events.flatMap((event) => (event.type === "question" ? [String(event.questionId)] : []));
    expect(await api.answer(sessionId, asked[0] ?? "", { approved: true })).toBe(200);
    await reader.untilTurnEnd(2);
    expect(reader.events.filter(({ type }) => type === "message.finalize")).toMatchObject([
      { reason: "end_turn" },
      { reason: "error", error: expect.stringContaining("Send the prompt again with its key") },
    ]);
    const used = model.requestsWith("Before and after.").map(({ headers }) => headers.authorization);
    expect(used).toEqual([`Bearer ${OWN_KEY}`, `Bearer ${OWN_KEY}`]);
    expect([filesWith(product.data, OWN_KEY), filesWith(product.data, SENT_LATER)]).toEqual([[], []]);
  });
});
