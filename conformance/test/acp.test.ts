import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { LogEvent } from "@agent-ops/shared/events";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { processesIn } from "../src/agent-processes.ts";
import type { Product } from "../src/product.ts";
import { GEMINI_KEY, geminiOverAcp, openCodeOverAcp } from "../src/real-agents/acp-agents.ts";
import { AgentScene } from "../src/real-agents/agent-scene.ts";
import { startConfigured } from "../src/real-agents/configured.ts";
import { pathWithAgents } from "../src/real-agents/installed.ts";
import { answeredNatively } from "../src/real-agents/native-approval.ts";
import { OPEN_CODE_KEY } from "../src/real-agents/open-code.ts";
import { MAIN } from "../src/runner-host.ts";
import { scripted } from "../src/scripted-model/script.ts";
import { ScriptedModel } from "../src/scripted-model/scripted-model.ts";

/** What an agent says of a call before it ends comes in an order that varies. */
function onlyEnds(event: LogEvent): boolean {
  return event.type !== "message.part.tool-update" || event.status === "completed" || event.status === "error";
}

it("HOST1: a list of agents that is not right is told before anything starts", async () => {
  const folder = mkdtempSync(join(tmpdir(), "agent-ops-test-"));
  writeFileSync(join(folder, "agents.json"), JSON.stringify({ agents: { broken: { type: "acp" } } }));
  const args = [MAIN, "start", "--no-open", "--data", folder, "--agents", join(folder, "agents.json")];
  const { status, stderr } = spawnSync(process.execPath, args, { encoding: "utf8" });
  rmSync(folder, { recursive: true });
  expect([status, stderr]).toEqual([2, expect.stringContaining("agents.broken.command")]);
});

describe("agents that speak ACP", () => {
  let model: ScriptedModel;
  let product: Product;

  beforeAll(async () => {
    model = await ScriptedModel.start();
    const agents = { "opencode-acp": openCodeOverAcp(model), gemini: geminiOverAcp(model) };
    const env = {
      PATH: pathWithAgents("opencode", "gemini"),
      GEMINI_API_KEY: GEMINI_KEY,
      TIMES: JSON.stringify({ hibernateMs: 4_000 }),
    };
    product = await startConfigured({ agents, env });
  });
  afterAll(async () => {
    await product.destroy();
    await model.close();
    expect(processesIn(product.data)).toEqual([]);
  });

  describe.each([
    { agent: "gemini", shell: "run_shell_command", program: "gemini", dialect: "gemini" },
    { agent: "opencode-acp", shell: "bash", program: "opencode", dialect: "openai-chat" },
  ])("$agent", ({ agent, shell, program, dialect }) => {
    let session: AgentScene;

    beforeAll(async () => {
      session = await AgentScene.open(product, { agent });
    });

    function running(): number[] {
      return processesIn(session.workspace)
        .filter(({ command }) => command.includes(program))
        .map(({ pid }) => pid);
    }

    function file(name: string): string {
      return join(session.workspace, name);
    }

    it("ACP1: a text turn", async () => {
      const turn = await session.run([{ text: "Hello! A plain answer." }], `A text turn of ${agent}.`);
      expect(turn.text).toBe("Hello! A plain answer.");
      expect(await turn.ended()).toMatchObject({ reason: "end_turn", usage: { outputTokens: expect.any(Number) } });
      expect(running()).not.toEqual([]);
      expect(model.requestsWith(`A text turn of ${agent}.`)).toMatchObject([{ dialect, outcome: "finished" }]);
      await turn.expectGolden(`acp-${agent}-text`);
    });

    it("ACP2: a command runs when its approval is given, and does not when it is refused", async () => {
      const touch = (name: string) => [
        { tool: shell, args: { command: `touch ${name}`, description: "Touch a file" } },
        { text: "That was that." },
      ];
      const approved = session.begin(touch("yes.txt"));
      expect(await approved.question()).toMatchObject({ kind: "approval" });
      expect(existsSync(file("yes.txt"))).toBe(false);
      await approved.answer({ approved: true });
      await approved.expectGolden(`acp-${agent}-approved`, onlyEnds);
      expect(existsSync(file("yes.txt"))).toBe(true);
      const refused = session.begin(touch("no.txt"));
      await refused.answer({ approved: false });
      await refused.expectGolden(`acp-${agent}-refused`, onlyEnds);
      expect(existsSync(file("no.txt"))).toBe(false);
    });

    it("ACP1: it remembers what was said", async () => {
      await session.run([{ text: "Noted." }], "My favourite colour is teal.");
      await session.run([{ text: "Yes." }], `Do you remember, ${agent}?`);
      const [request] = model.requestsWith(`Do you remember, ${agent}?`);
      expect(JSON.stringify(request?.body)).toContain("My favourite colour is teal.");
    });

    it("TURN6: an abort in the middle of a text reaches the model's provider", async () => {
      const turn = session.begin([{ text: "A long answer that never ends", hang: 30_000 }], `Abort ${agent}.`);
      await turn.until(({ text }) => text !== "");
      await session.scene.abort();
      expect(await turn.ended()).toMatchObject({ reason: "canceled" });
      const outcomes = () => model.requestsWith(`Abort ${agent}.`).map(({ outcome }) => outcome);
      await expect.poll(outcomes).toEqual(["left"]);
    });

    it("TURN6: an abort in the middle of a command ends the command", async () => {
      const args = { command: "sleep 67", description: "Sleep" };
      const turn = session.begin([{ tool: shell, args }, { text: "never" }]);
      await turn.answer({ approved: true });
      const sleeping = () => processesIn(session.workspace).filter(({ command }) => command.includes("sleep 67"));
      await expect.poll(sleeping).not.toEqual([]);
      await session.scene.abort();
      expect(await turn.ended()).toMatchObject({ reason: "canceled" });
      await expect.poll(sleeping).toEqual([]);
    });

    it("ACP1: an error of the provider ends the turn with its words", async () => {
      const turn = session.begin([{ status: 400 }]);
      expect(await turn.ended()).toMatchObject({ reason: "error", error: /The script says 400/ });
    });

    it("ACP5: an agent that is killed in the middle of a command ends the turn with a clear error, and comes back", async () => {
      const args = { command: "sleep 68", description: "Sleep" };
      const turn = session.begin([{ tool: shell, args }, { text: "never" }]);
      await turn.answer({ approved: true });
      await expect
        .poll(() => processesIn(session.workspace).filter(({ command }) => command.includes("sleep 68")))
        .not.toEqual([]);
      // It is several processes, which may start each other anew while they are killed one by one.
      const killed = () => {
        for (const pid of running()) process.kill(pid, "SIGKILL");
        return turn.told("message.finalize").length;
      };
      await expect.poll(killed).toBe(1);
      expect(await turn.ended()).toMatchObject({ reason: "error", error: /ended unexpectedly/ });
      expect((await session.run([{ text: "Back again." }])).text).toBe("Back again.");
      await expect
        .poll(() => processesIn(session.workspace).filter(({ command }) => command.includes("sleep 68")))
        .toEqual([]);
    });
  });

  it.each([
    [true, "output-available"],
    [false, "output-denied"],
  ])("SSE15: an approval that `useChat` answers itself: %s", async (approved, state) => {
    const args = { command: "touch native.txt", description: "Touch a file" };
    const steps = [{ tool: "run_shell_command", args }, { text: "That was that." }];
    const answered = await answeredNatively(product, "gemini", { steps, approved });
    expect(answered).toEqual({ state, text: "That was that." });
  });

  describe("OpenCode over ACP", () => {
    let session: AgentScene;
    const outside = join(tmpdir(), `agent-ops-outside-${process.pid}.txt`);

    beforeAll(async () => {
      session = await AgentScene.open(product, { agent: "opencode-acp" });
    });
    afterAll(() => rmSync(outside, { force: true }));

    it("ACP3: writes a file of the workspace, and shows what it changes", async () => {
      const args = { filePath: join(session.workspace, "new.txt"), content: "alpha\nbeta\n" };
      const turn = session.begin([{ tool: "write", args }, { text: "Written." }], "Remember this file.");
      await turn.answer({ approved: true });
      await turn.expectGolden("acp-opencode-acp-write", onlyEnds);
      const [asked] = turn
        .told("message.part.tool-update")
        .filter(({ args }) => JSON.stringify(args)?.includes("+alpha"));
      expect(asked).toMatchObject({ toolName: "write", status: "running" });
      expect(readFileSync(join(session.workspace, "new.txt"), "utf8")).toBe("alpha\nbeta\n");
    });

    it("ACP1: tells its models, and takes the one that a prompt names", async () => {
      const { scene } = session;
      const [told] = scene.logged("models");
      const ids = ["scripted/other-model", "scripted/scripted-model"];
      expect(told).toMatchObject({ models: ids.map((id) => ({ id })) });
      const count = scene.logged("message.finalize").length;
      const text = scripted([{ text: "As the other one." }], "With the other model.");
      scene.reader.send({ type: "prompt", id: crypto.randomUUID(), text, model: "scripted/other-model" });
      await scene.reader.untilTurnEnd(count + 1);
      expect(model.requestsWith("With the other model.")).toMatchObject([{ body: { model: "other-model" } }]);
    });

    it("ACP3: asks for a file outside of the workspace, which is refused and audited", async () => {
      const turn = session.begin([{ tool: "write", args: { filePath: outside, content: "x" } }, { text: "Tried." }]);
      await turn.answer({ approved: true });
      await turn.answer({ approved: true }, 2);
      await turn.ended();
      const { api, sessionId } = session.scene;
      const { audit } = await (await api.request("GET", `/api/sessions/${sessionId}/audit`)).json();
      expect(audit).toContainEqual(
        expect.objectContaining({
          userId: "agent:opencode-acp",
          action: "refused-outside",
          detail: `fs/write_text_file: ${outside}`,
        }),
      );
    });

    it("TOOL1: an ACP agent asks people through the runner's own server", async () => {
      const args = { question: "What is your name?" };
      const turn = session.begin([{ tool: "agent-ops_ask_user", args }, { text: "Hello." }]);
      expect(await turn.question()).toMatchObject({ kind: "text", prompt: "What is your name?" });
      await turn.answer({ value: "Ada" });
      expect(await turn.ended()).toMatchObject({ reason: "end_turn" });
      const [done] = turn.told("message.part.tool-update").filter(({ status }) => status === "completed");
      expect(JSON.stringify(done?.result)).toContain("Ada");
    });

    it("LIFE1: is let go when nobody needs it, and finds its conversation again", async () => {
      const rested = () => session.scene.logged("status").some(({ status }) => status === "hibernated");
      await session.scene.reader.until(rested);
      await expect.poll(() => processesIn(session.workspace)).toEqual([]);
      await session.run([{ text: "Here I am." }], "Are you awake?");
      const [request] = model.requestsWith("Are you awake?");
      expect(JSON.stringify(request?.body)).toContain("Remember this file.");
    });

    it("HOST2: nobody saw a key", () => {
      const seen = [
        JSON.stringify(session.scene.log()),
        readFileSync(join(product.data, "private/agent-ops.log"), "utf8"),
      ];
      for (const key of [OPEN_CODE_KEY, GEMINI_KEY]) expect(seen.join()).not.toContain(key);
    });
  });
});
