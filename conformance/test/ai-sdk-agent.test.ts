import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { processesIn } from "../src/agent-processes.ts";
import type { Product } from "../src/product.ts";
import { AgentScene } from "../src/real-agents/agent-scene.ts";
import { EVERYTHING, FILESYSTEM, startConfigured } from "../src/real-agents/configured.ts";
import { answeredNatively } from "../src/real-agents/native-approval.ts";
import { scripted } from "../src/scripted-model/script.ts";
import { SCRIPTED_MODEL, ScriptedModel } from "../src/scripted-model/scripted-model.ts";

const KEY = "sk-ai-sdk-5d0c9f31ab77";

describe("the AI SDK agent with real MCP servers", () => {
  let model: ScriptedModel;
  let product: Product;
  let session: AgentScene;

  beforeAll(async () => {
    model = await ScriptedModel.start();
    const loop = {
      type: "ai-sdk",
      provider: { type: "openai-compatible", baseUrl: model.openAiUrl, keyFrom: "SCRIPTED_API_KEY" },
      model: SCRIPTED_MODEL,
      models: ["other-model"],
      instructions: "Be brief.",
      maxSteps: 4,
      mcpServers: {
        everything: { type: "stdio", ...EVERYTHING },
        files: { type: "stdio", ...FILESYSTEM, args: [...FILESYSTEM.args, "."] },
      },
      approvals: {
        default: "allow",
        tools: { everything_echo: "ask", "files_*": "ask", "everything_get-env": "deny" },
      },
    };
    const env = { SCRIPTED_API_KEY: KEY, TIMES: JSON.stringify({ hibernateMs: 3_000 }) };
    product = await startConfigured({ agents: { loop }, env });
    session = await AgentScene.open(product, { agent: "loop" });
  });
  afterAll(async () => {
    await product.destroy();
    await model.close();
    expect(processesIn(product.data)).toEqual([]);
  });

  function running(program: string): number[] {
    return processesIn(session.workspace)
      .filter(({ command }) => command.includes(program))
      .map(({ pid }) => pid);
  }

  it("AIS1: a text turn, on the model that the host names, with the host's key", async () => {
    const turn = await session.run([{ reasoning: "Thinking.", text: "Hello! A plain answer." }], "A text turn.");
    expect(turn.text).toBe("Hello! A plain answer.");
    expect(await turn.ended()).toMatchObject({ reason: "end_turn", usage: { totalTokens: expect.any(Number) } });
    expect([running("ai-sdk-process"), running("server-everything"), running("server-filesystem")]).toMatchObject([
      [expect.any(Number)],
      [expect.any(Number)],
      [expect.any(Number)],
    ]);
    const [request] = model.requestsWith("A text turn.");
    expect(request).toMatchObject({ dialect: "openai-chat", outcome: "finished", body: { model: SCRIPTED_MODEL } });
    expect(request?.headers.authorization).toBe(`Bearer ${KEY}`);
    await turn.expectGolden("ai-sdk-text");
  });

  it("AIS3: a tool that the host's configuration allows runs at once", async () => {
    const turn = await session.run([
      { text: "Adding.", tool: "everything_get-sum", args: { a: 2, b: 3 } },
      { text: "Five." },
    ]);
    await turn.expectGolden("ai-sdk-tool");
    const [done] = turn.told("message.part.tool-update").filter(({ status }) => status === "completed");
    expect(JSON.stringify(done?.result)).toContain("5");
  });

  it("AIS3: a tool that needs an approval runs when it is given, and a refused one does not", async () => {
    const steps = [
      { tool: "files_write_file", args: { path: "new.txt", content: "written" } },
      { text: "That was that." },
    ];
    const refused = session.begin(steps);
    expect(await refused.question()).toMatchObject({ kind: "approval", toolName: "files_write_file" });
    await refused.answer({ approved: false, reason: "Not today." });
    await refused.expectGolden("ai-sdk-refused");
    expect(existsSync(join(session.workspace, "new.txt"))).toBe(false);
    const approved = session.begin(steps);
    await approved.answer({ approved: true });
    await approved.expectGolden("ai-sdk-approved");
    expect(readFileSync(join(session.workspace, "new.txt"), "utf8")).toBe("written");
  });

  it("AIS3: an approval for good holds for the session, and is audited", async () => {
    const steps = [{ tool: "everything_echo", args: { message: "hi" } }, { text: "Echoed." }];
    const first = session.begin(steps);
    await first.answer({ approved: true, always: true });
    await first.ended();
    const second = await session.run(steps);
    expect(second.told("question")).toEqual([]);
    const { api, sessionId } = session.scene;
    const { audit } = await (await api.request("GET", `/api/sessions/${sessionId}/audit`)).json();
    expect(audit).toContainEqual(
      expect.objectContaining({ userId: "alice", action: "approve-always", detail: "everything_echo" }),
    );
  });

  it("AIS3: a tool that the host forbids does not run", async () => {
    const turn = await session.run([{ tool: "everything_get-env", args: {} }, { text: "I may not." }]);
    const [failed] = turn.told("message.part.tool-update").filter(({ status }) => status === "error");
    expect(failed?.error).toContain("does not allow this tool");
    expect(turn.text).toBe("I may not.");
  });

  it("AIS2: what a server gives is kept whole", async () => {
    const location = { location: "New York" };
    const structured = await session.run([
      { tool: "everything_get-structured-content", args: location },
      { text: "." },
    ]);
    const [weather] = structured.told("message.part.tool-update").filter(({ status }) => status === "completed");
    expect(weather?.result).toMatchObject({ structuredContent: { temperature: expect.any(Number) } });
    const resource = { resourceType: "Text", resourceId: 1 };
    const linked = await session.run([{ tool: "everything_get-resource-reference", args: resource }, { text: "." }]);
    const [reference] = linked.told("message.part.tool-update").filter(({ status }) => status === "completed");
    expect(reference?.result).toMatchObject({
      content: expect.arrayContaining([expect.objectContaining({ type: "resource", resource: expect.anything() })]),
    });
  });

  it("AIS5: an elicitation is a form, and the server gets what was filled in", async () => {
    const turn = session.begin([{ tool: "everything_trigger-elicitation-request", args: {} }, { text: "Thank you." }]);
    expect(await turn.question()).toMatchObject({ kind: "form", schema: { type: "object", properties: { name: {} } } });
    await turn.answer({ action: "accept", content: { name: "Ada Lovelace" } });
    await turn.expectGolden("ai-sdk-elicitation");
    const [done] = turn.told("message.part.tool-update").filter(({ status }) => status === "completed");
    expect(JSON.stringify(done?.result)).toContain("Ada Lovelace");
  });

  it("MCP1: a server that has died is started again, and lives on from turn to turn", async () => {
    const sum = [{ tool: "everything_get-sum", args: { a: 20, b: 22 } }, { text: "There." }];
    const before = running("server-everything");
    expect(before).toHaveLength(1);
    for (const pid of before) process.kill(pid, "SIGKILL");
    const again = await session.run(sum);
    expect(JSON.stringify(again.told("message.part.tool-update").at(-1)?.result)).toContain("42");
    const after = running("server-everything");
    expect(after).not.toEqual(before);
    await session.run(sum);
    expect(running("server-everything")).toEqual(after);
  });

  it("AIS4: a model that never stops calling tools is stopped", async () => {
    const step = { tool: "everything_get-sum", args: { a: 1, b: 1 } };
    const turn = session.begin([step, step, step, step, step]);
    expect(await turn.ended()).toMatchObject({ reason: "error", error: /limit of 4 steps/ });
  });

  it("TURN6: an abort in the middle of a text reaches the model's provider", async () => {
    const turn = session.begin([{ text: "A long answer that never ends", hang: 30_000 }], "Abort me.");
    await turn.until(({ text }) => text !== "");
    await session.scene.abort();
    expect(await turn.ended()).toMatchObject({ reason: "canceled" });
    await expect.poll(() => model.requestsWith("Abort me.").map(({ outcome }) => outcome)).toEqual(["left"]);
  });

  it("TURN6: an abort in the middle of a tool ends the turn", async () => {
    const args = { duration: 60, steps: 1 };
    const turn = session.begin([{ tool: "everything_trigger-long-running-operation", args }, { text: "never" }]);
    await turn.until(({ events }) =>
      events.some((event) => event.type === "message.part.tool-update" && event.status === "running"),
    );
    await session.scene.abort();
    expect(await turn.ended()).toMatchObject({ reason: "canceled" });
  });

  it("AIS1: an error of the provider ends the turn with its words", async () => {
    const turn = session.begin([{ status: 400 }]);
    expect(await turn.ended()).toMatchObject({ reason: "error", error: /The script says 400/ });
  });

  it("RUN8: an agent that is killed in the middle of a tool ends the turn with a clear error, and comes back", async () => {
    const args = { duration: 60, steps: 1 };
    const turn = session.begin([{ tool: "everything_trigger-long-running-operation", args }, { text: "never" }]);
    await turn.until(({ events }) =>
      events.some((event) => event.type === "message.part.tool-update" && event.status === "running"),
    );
    for (const pid of running("ai-sdk-process")) process.kill(pid, "SIGKILL");
    expect(await turn.ended()).toMatchObject({ reason: "error", error: /ended unexpectedly \(signal SIGKILL\)/ });
    expect((await session.run([{ text: "Back again." }])).text).toBe("Back again.");
  });

  it("AIS6: it remembers what was said, also after a rest", async () => {
    await session.run([{ text: "Noted." }], "My favourite colour is teal.");
    await session.run([{ text: "Yes." }], "Do you remember?");
    expect(JSON.stringify(model.requests.at(-1)?.body)).toContain("My favourite colour is teal.");
    const rested = () => session.scene.logged("status").some(({ status }) => status === "hibernated");
    await session.scene.reader.until(rested);
    await expect.poll(() => processesIn(session.workspace)).toEqual([]);
    await session.run([{ text: "Still." }], "And now?");
    const heard = JSON.stringify(model.requests.at(-1)?.body);
    for (const words of ["My favourite colour is teal.", "Noted.", "Do you remember?", "And now?"]) {
      expect(heard).toContain(words);
    }
    const said = model.requests.at(-1)?.conversation.messages.filter(({ role }) => role === "assistant");
    expect(said?.filter(({ text }) => text === "Noted.")).toHaveLength(1);
  });

  it("TURN9 AIS6: it forgets what an edit or a regenerate replaced", async () => {
    const own = await AgentScene.open(product, { agent: "loop" });
    const heard = () => {
      const said = model.requests.at(-1)?.conversation.messages ?? [];
      return said.map(({ role, text }) => `${role}: ${text}`);
    };
    await own.run([{ text: "First." }], "One.");
    await own.run([{ text: "Second." }], "Two.");
    const before = heard();
    await own.client.regenerate();
    expect(heard()).toEqual(before);
    const [, , second] = own.client.messages;
    await own.client.edit(String(second?.id), scripted([{ text: "Third." }], "Three."));
    expect(heard()).toEqual([...before.slice(0, -1), expect.stringContaining("Three.")]);
  });

  it("AIS1: a prompt may name another model that the host lists, and no other", async () => {
    const { reader } = session.scene;
    const ask = async (model: string) => {
      const count = session.scene.logged("message.finalize").length;
      reader.send({ type: "prompt", id: crypto.randomUUID(), text: `With ${model}.`, model });
      await reader.untilTurnEnd(count + 1);
      return session.scene.logged("message.finalize")[count];
    };
    expect(await ask("other-model")).toMatchObject({ reason: "end_turn" });
    expect(model.requests.at(-1)?.body).toMatchObject({ model: "other-model" });
    expect(await ask("yet-another")).toMatchObject({ reason: "error", error: /has no model "yet-another"/ });
  });

  it.each([
    [true, "output-available"],
    [false, "output-denied"],
  ])("SSE15: an approval that `useChat` answers itself: %s", async (approved, state) => {
    const steps = [{ tool: "everything_echo", args: { message: "hi" } }, { text: "That was that." }];
    const answered = await answeredNatively(product, "loop", { steps, approved });
    expect(answered).toEqual({ state, text: "That was that." });
  });

  it("HOST2: nobody saw the key", () => {
    expect(JSON.stringify(session.scene.log())).not.toContain(KEY);
    expect(readFileSync(join(product.data, "private/agent-ops.log"), "utf8")).not.toContain(KEY);
  });
});
