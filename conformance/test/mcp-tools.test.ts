import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { processesIn } from "../src/agent-processes.ts";
import type { Product } from "../src/product.ts";
import { AgentScene } from "../src/real-agents/agent-scene.ts";
import { startConfigured } from "../src/real-agents/configured.ts";
import { EverythingServer } from "../src/real-agents/everything-server.ts";
import { runnerToken } from "../src/runner-host.ts";
import { scripted } from "../src/scripted-model/script.ts";
import { SCRIPTED_MODEL, ScriptedModel } from "../src/scripted-model/scripted-model.ts";

describe("MCP servers over HTTP, and the runner's own", () => {
  let model: ScriptedModel;
  let everything: EverythingServer;
  let product: Product;

  beforeAll(async () => {
    [model, everything] = await Promise.all([ScriptedModel.start(), EverythingServer.start()]);
    const provider = { type: "openai-compatible", baseUrl: model.openAiUrl };
    const loop = { type: "ai-sdk", provider, model: SCRIPTED_MODEL, approvals: { default: "allow" } };
    const at = (url: string) => ({ ...loop, mcpServers: { remote: { type: "http", url } } });
    const agents = {
      loop: at(everything.url),
      strayed: at("http://169.254.169.254/mcp"),
    };
    product = await startConfigured({ agents });
  });
  afterAll(async () => {
    await product.destroy();
    await Promise.all([model.close(), everything.stop()]);
    expect(processesIn(product.data)).toEqual([]);
  });

  describe("the AI SDK agent", () => {
    let session: AgentScene;

    beforeAll(async () => {
      session = await AgentScene.open(product, { agent: "loop" });
    });

    it("MCP1: uses a server over streamable HTTP, its elicitation too", async () => {
      const sum = await session.run([{ tool: "remote_get-sum", args: { a: 20, b: 22 } }, { text: "There." }]);
      const [done] = sum.told("message.part.tool-update").filter(({ status }) => status === "completed");
      expect(JSON.stringify(done?.result)).toContain("42");
      const form = session.begin([{ tool: "remote_trigger-elicitation-request", args: {} }, { text: "Thank you." }]);
      expect(await form.question()).toMatchObject({ kind: "form" });
      await form.answer({ action: "decline" });
      expect(await form.ended()).toMatchObject({ reason: "end_turn" });
    });

    it("MCP2: does not reach a private network, and says so", async () => {
      const strayed = await AgentScene.open(product, { agent: "strayed" });
      const turn = strayed.begin([{ text: "never" }]);
      expect(await turn.ended()).toMatchObject({
        reason: "error",
        error: /"remote".*Private networks may not be reached/,
      });
    });

    it("TOOL1, TOOL2: asks people and sets the title", async () => {
      const options = ["red", "blue"].map((value) => ({ value, label: value }));
      const turn = session.begin([
        { tool: "agent_ops_set_title", args: { title: "Colours" } },
        { tool: "agent_ops_ask_user", args: { question: "Which colour?", options } },
        { text: "Good choice." },
      ]);
      expect(await turn.question()).toMatchObject({ kind: "choice", prompt: "Which colour?" });
      await turn.answer({ value: "blue" });
      await turn.expectGolden("mcp-own-tools");
      const { api, sessionId } = session.scene;
      expect(await (await api.request("GET", `/api/sessions/${sessionId}`)).json()).toMatchObject({ title: "Colours" });
    });

    it("TOOL3: nobody but the session's own host has a session made, and only while its agent works", async () => {
      const { api, sessionId } = session.scene;
      const ask = (token: string) =>
        fetch(`${product.url}/api/runner/sessions/${sessionId}/children`, {
          method: "POST",
          headers: { authorization: `Bearer ${token}` },
          body: JSON.stringify({ prompt: "Do it." }),
        });
      expect((await ask(api.token)).status).toBe(401);
      expect((await ask(runnerToken(product, "other"))).status).toBe(409);
      const own = await ask(runnerToken(product, "local"));
      expect([own.status, (await own.json()).message]).toEqual([409, "The agent is not working on anything."]);
    });

    it("TOOL3: starts a child session, in which another agent works, and which starts none of its own", async () => {
      const inner = scripted([
        { tool: "agent_ops_spawn_session", args: { prompt: "Once more." } },
        { text: "I am the child." },
      ]);
      const args = { prompt: inner, title: "A child" };
      const turn = await session.run([{ tool: "agent_ops_spawn_session", args }, { text: "It runs." }]);
      const { api, sessionId } = session.scene;
      const { children } = await (await api.request("GET", `/api/sessions/${sessionId}/children`)).json();
      expect(children).toMatchObject([{ title: "A child", openable: true }]);
      const childId: string = children[0].childSessionId;
      expect(JSON.stringify(turn.told("message.part.tool-update").at(-1)?.result)).toContain(childId);
      const told = async () => JSON.stringify(await api.history(childId));
      await expect.poll(told).toContain("A child session cannot make sessions.");
      expect(await (await api.request("GET", `/api/sessions/${childId}`)).json()).toMatchObject({
        parentId: sessionId,
        role: "owner",
        agent: "loop",
      });
    });
  });
});
