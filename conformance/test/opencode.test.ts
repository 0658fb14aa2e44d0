import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type AgentProcess, processesIn } from "../src/agent-processes.ts";
import { newDataFolder, Product } from "../src/product.ts";
import { AgentScene } from "../src/real-agents/agent-scene.ts";
import { OPEN_CODE_KEY, openCodeEnv } from "../src/real-agents/open-code.ts";
import { expectSound, reply } from "../src/scene.ts";
import { scripted } from "../src/scripted-model/script.ts";
import { ScriptedModel } from "../src/scripted-model/scripted-model.ts";

describe("OpenCode", () => {
  let model: ScriptedModel;
  let product: Product;
  let session: AgentScene;

  beforeAll(async () => {
    model = await ScriptedModel.start();
    const data = newDataFolder();
    product = await Product.start(openCodeEnv(model, data), data);
    session = await AgentScene.open(product, { agent: "opencode" });
  });
  beforeEach(() => session.reload());
  afterAll(async () => {
    await product.destroy();
    await model.close();
    expect(processesIn(product.data)).toEqual([]);
  });

  function serverProcesses(): AgentProcess[] {
    return processesIn(session.workspace).filter(({ command }) => /^\S*opencode\S* serve /.test(command));
  }

  function servers(): number[] {
    return serverProcesses().map(({ pid }) => pid);
  }

  function file(name: string): string {
    return join(session.workspace, name);
  }

  it("OC1: a text turn, with the model's thoughts, its price, its title and the models there are", async () => {
    const turn = await session.run([{ reasoning: "Thinking hard.", text: "Hello! A plain answer." }], "A text turn.");
    expect(turn.text).toBe("Hello! A plain answer.");
    expect(turn.told("models")).toMatchObject([
      {
        models: [{ id: "scripted/scripted-model", provider: "Scripted" }, { id: "scripted/other-model" }],
        current: "scripted/scripted-model",
      },
    ]);
    expect(servers()).toHaveLength(1);
    if (process.getuid?.() === 0) expect(serverProcesses()[0]?.uid).toBeGreaterThan(1_000);
    const [request] = model.requestsWith("A text turn.");
    expect(request).toMatchObject({ dialect: "openai-chat", outcome: "finished" });
    expect(request?.headers.authorization).toBe(`Bearer ${OPEN_CODE_KEY}`);
    await session.scene.reader.until(({ events }) => events.some(({ type }) => type === "title"));
    await turn.expectGolden("opencode-text");
  });

  it("OC11: its commands are told, and a prompt that begins with one runs it", async () => {
    const [told] = session.scene.logged("commands");
    expect(told?.commands).toContainEqual({ name: "repeat", description: "Says it again" });
    const turn = session.say(`/repeat ${scripted([{ text: "From a command." }], "A command turn.")}`);
    await turn.ended();
    expect(turn.text).toBe("From a command.");
    const [request] = model.requestsWith("A command turn.");
    expect(JSON.stringify(request?.body)).not.toContain("/repeat");
  });

  it("OC2: a command runs when its approval is given", async () => {
    const args = { command: "echo hi; touch yes.txt", description: "Touch a file" };
    const turn = session.begin([{ text: "Running.", tool: "bash", args }, { text: "Done." }]);
    expect(await turn.question()).toMatchObject({ kind: "approval", toolName: "bash" });
    expect(existsSync(file("yes.txt"))).toBe(false);
    await turn.answer({ approved: true });
    await turn.expectGolden("opencode-bash-approved");
    expect(existsSync(file("yes.txt"))).toBe(true);
  });

  it("OC2: a command that is refused does not run; with a reason the agent goes on, without one it stops", async () => {
    const steps = [
      { tool: "bash", args: { command: "touch no.txt", description: "Touch a file" } },
      { text: "Then I leave it." },
    ];
    const reasoned = session.begin(steps);
    await reasoned.answer({ approved: false, reason: "Not today." });
    await reasoned.expectGolden("opencode-bash-refused-with-reason");
    expect(reasoned.text).toBe("Then I leave it.");
    const silent = session.begin(steps);
    await silent.answer({ approved: false });
    await silent.expectGolden("opencode-bash-refused");
    expect(silent.text).toBe("");
    expect(existsSync(file("no.txt"))).toBe(false);
  });

  it.each([true, false])("OC2 TR16: an approval as the SDK's own, answered with %s", async (approved) => {
    const { scene } = session;
    const client = await scene.reloaded("7", { approvals: "native" });
    const name = `native-${approved}.txt`;
    const steps = [{ tool: "bash", args: { command: `touch ${name}`, description: "Touch" } }, { text: "Then on." }];
    const asked = scene.logged("question").length;
    const ended = scene.logged("message.finalize").length;
    await client.send(scripted(steps));
    const state = () => client.messages.at(-1)?.parts.find(({ toolCallId }) => toolCallId !== undefined)?.state;
    expect([client.status, state()]).toEqual(["ready", "approval-requested"]);
    await client.answerApproval({ id: await scene.question(asked + 1), approved, reason: "Because." });
    await scene.reader.untilTurnEnd(ended + 1);
    await expectSound(client);
    expect([state(), reply(client)]).toEqual([approved ? "output-available" : "output-denied", "Then on."]);
    expect(existsSync(file(name))).toBe(approved);
  });

  it("OC2: an edit is asked for with its name, allowed for good, and shows its diff", async () => {
    const turn = session.begin([
      { tool: "write", args: { filePath: file("new.txt"), content: "alpha\nbeta\n" } },
      { tool: "edit", args: { filePath: file("new.txt"), oldString: "beta", newString: "gamma" } },
      { text: "Written and edited." },
    ]);
    await turn.answer({ approved: true, always: true });
    await turn.expectGolden("opencode-edit");
    expect(turn.told("question")).toHaveLength(1);
    expect(readFileSync(file("new.txt"), "utf8")).toBe("alpha\ngamma\n");
    const edited = turn.told("message.part.tool-update").findLast(({ toolName }) => toolName === "edit");
    expect(edited?.result).toMatchObject({ metadata: { diff: expect.stringContaining("-beta\n+gamma") } });
  });

  it("OC2: its question tool is a choice", async () => {
    const options = [
      { label: "Red", description: "warm" },
      { label: "Blue", description: "cold" },
    ];
    const questions = [{ question: "Which colour?", header: "Colour", options }];
    const turn = session.begin([{ tool: "question", args: { questions } }, { text: "You picked." }]);
    expect(await turn.question()).toMatchObject({ kind: "choice", prompt: "Which colour?" });
    await turn.answer({ value: "Blue" });
    await turn.expectGolden("opencode-question");
  });

  it("TOOL1: it is offered the runner's own tools", async () => {
    const args = { question: "Which name?" };
    const turn = session.begin([{ tool: "agent-ops_ask_user", args }, { text: "Thank you." }]);
    expect(await turn.question()).toMatchObject({ kind: "text", prompt: "Which name?" });
    await turn.answer({ value: "Ada" });
    await turn.ended();
    const told = turn.told("message.part.tool-update").findLast(({ status }) => status === "completed");
    expect(told).toMatchObject({ toolName: "agent-ops_ask_user", result: { output: "Ada" } });
  });

  it("WS3 WS4: what it changed is told after the turn, and reviewed by the same agent apart from the session", async () => {
    const finding = { line: 1, severity: "warning", title: "Too short" };
    const review = { files: [{ path: "reviewed.txt", findings: [finding] }], overallSummary: "Short." };
    const content = scripted([{ text: JSON.stringify(review) }], "To be reviewed.");
    const { scene } = session;
    const before = scene.logged("files-changed").length;
    const turn = session.begin([
      { tool: "write", args: { filePath: file("reviewed.txt"), content } },
      { text: "Written." },
    ]);
    await turn.ended();
    await scene.reader.until(() => scene.logged("files-changed").length > before);
    expect(scene.logged("files-changed").at(-1)).toMatchObject({ files: [{ path: "reviewed.txt", status: "added" }] });
    scene.reader.send({ type: "review", requestId: "review-1" });
    await scene.reader.until(() => scene.logged("review-result").length > 0);
    expect(scene.logged("review-result")[0]).toMatchObject({
      requestId: "review-1",
      files: [{ path: "reviewed.txt", findings: [finding] }],
      stats: { warning: 1, total: 1 },
    });
    await expect.poll(() => servers().length).toBe(1);
  });

  it("OC4: a subagent is a child session; its permission is asked for here", async () => {
    const args = {
      description: "A small job",
      subagent_type: "general",
      prompt: scripted([
        { tool: "bash", args: { command: "touch child.txt", description: "Touch" } },
        { text: "Child result." },
      ]),
    };
    const turn = session.begin([{ tool: "task", args }, { text: "Parent done." }]);
    await turn.answer({ approved: true });
    await turn.expectGolden("opencode-subagent");
    expect(turn.told("child-session").map(({ status }) => status)).toEqual(["running", "completed"]);
    expect(existsSync(file("child.txt"))).toBe(true);
  });

  it("OC1: a plan is a tool call", async () => {
    const todos = [{ content: "First", status: "in_progress", priority: "high" }];
    const turn = await session.run([{ tool: "todowrite", args: { todos } }, { text: "Planned." }]);
    await turn.expectGolden("opencode-todo");
  });

  it("OC5: an abort in the middle of a text reaches the model's provider", async () => {
    const turn = session.begin([{ text: "A long answer that never ends", hang: 30_000 }], "Abort me.");
    await turn.until(({ text }) => text !== "");
    await session.scene.abort();
    expect(await turn.ended()).toMatchObject({ reason: "canceled" });
    await turn.expectGolden("opencode-abort-stream");
    await expect.poll(() => model.requestsWith("Abort me.").at(-1)?.outcome).toBe("left");
  });

  it("OC5: an abort in the middle of a command ends the command", async () => {
    const args = { command: "sleep 61", description: "Sleep" };
    const turn = session.begin([{ tool: "bash", args }, { text: "never" }]);
    await turn.answer({ approved: true });
    const sleeping = () => processesIn(session.workspace).filter(({ command }) => command.includes("sleep 61"));
    await expect.poll(sleeping).not.toEqual([]);
    await session.scene.abort();
    expect(await turn.ended()).toMatchObject({ reason: "canceled" });
    await expect.poll(sleeping).toEqual([]);
    await turn.expectGolden("opencode-abort-tool");
  });

  it("OC5: an abort while it waits for an approval takes the question back", async () => {
    const args = { command: "touch never.txt", description: "Touch" };
    const turn = session.begin([{ tool: "bash", args }, { text: "never" }]);
    await turn.question();
    await session.scene.abort();
    expect(await turn.ended()).toMatchObject({ reason: "canceled" });
    expect(existsSync(file("never.txt"))).toBe(false);
    expect((await session.run([{ text: "Here again." }])).text).toBe("Here again.");
  });

  it("OC6: an error of the provider ends the turn with its text; one that passes is waited for", async () => {
    const failed = await session.run([{ status: 400 }]);
    expect(await failed.ended()).toMatchObject({ reason: "error", error: "The model failed: The script says 400." });
    await failed.expectGolden("opencode-provider-error");
    const recovered = await session.run([
      { status: 500, headers: { "retry-after-ms": "5" }, times: 1 },
      { text: "After all." },
    ]);
    expect(recovered.text).toBe("After all.");
    expect(recovered.told("agentStatus").map(({ detail }) => detail)).toContain(
      "The model failed (The script says 500.); attempt 2 follows.",
    );
  });

  it("OC7: it remembers the prompt before, in the same process", async () => {
    const [pid] = servers();
    await session.run([{ text: "I will." }], "Remember the word marmalade.");
    const turn = await session.run([{ text: "Marmalade." }], "Which word?");
    await turn.expectGolden("opencode-memory");
    const [request] = model.requestsWith("Which word?");
    const said = request?.conversation.messages.map(({ text }) => text).join("\n") ?? "";
    expect(said).toContain("Remember the word marmalade.");
    expect(said).toContain("I will.");
    expect(servers()).toEqual([pid]);
  });

  it("TURN9 OC7: it forgets what an edit or a regenerate replaced, also after a restart", async () => {
    const own = await AgentScene.open(product, { agent: "opencode" });
    const heard = (words: string) => {
      const said = model.requestsWith(words).at(-1)?.conversation.messages ?? [];
      return said.map(({ role, text }) => `${role}: ${text}`);
    };
    await own.run([{ text: "First." }], "Number one.");
    await own.run([{ text: "Second." }], "Number two.");
    const before = heard("Number two.");
    await own.client.regenerate();
    expect(heard("Number two.")).toEqual(before);
    const [pid = 0] = processesIn(own.workspace).map((found) => found.pid);
    process.kill(pid, "SIGKILL");
    const [, , second] = own.client.messages;
    await own.client.edit(String(second?.id), scripted([{ text: "Third." }], "Number three."));
    expect(heard("Number three.")).toEqual([...before.slice(0, -1), expect.stringContaining("Number three.")]);
  });

  it("OC8: killed in the middle of a command, the turn ends with an error, and the next prompt works", async () => {
    const args = { command: "sleep 62", description: "Sleep" };
    const turn = session.begin([{ tool: "bash", args }, { text: "never" }]);
    await turn.answer({ approved: true });
    const sleeping = () => processesIn(session.workspace).filter(({ command }) => command.includes("sleep 62"));
    await expect.poll(sleeping).not.toEqual([]);
    const [pid = 0] = servers();
    process.kill(pid, "SIGKILL");
    const error = "OpenCode's process ended unexpectedly (signal SIGKILL).";
    expect(await turn.ended()).toMatchObject({ reason: "error", error });
    await turn.expectGolden("opencode-killed");
    await expect.poll(sleeping).toEqual([]);
    const next = await session.run([{ text: "Back again." }], "After the crash.");
    expect(next.text).toBe("Back again.");
    expect(servers()).not.toEqual([pid]);
    const [request] = model.requestsWith("After the crash.");
    expect(JSON.stringify(request?.body)).toContain("Remember the word marmalade.");
  });
});
