import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { processesIn } from "../src/agent-processes.ts";
import { filesWith } from "../src/files-with.ts";
import { newDataFolder, Product } from "../src/product.ts";
import { AgentScene } from "../src/real-agents/agent-scene.ts";
import { OPEN_CODE_KEY, openCodeConfiguration, openCodeEnv } from "../src/real-agents/open-code.ts";
import { scripted } from "../src/scripted-model/script.ts";
import { ScriptedModel } from "../src/scripted-model/scripted-model.ts";

const HOST_KEY = "key-of-the-host-5d0f6c1e";
const STORED_KEY = "stored-by-auth-login-91b7aa04";

/** Here everything that OpenCode needs to know is in the host's own files. */
describe("OpenCode with the host's own settings", () => {
  let model: ScriptedModel;
  let product: Product;
  let session: AgentScene;

  beforeAll(async () => {
    model = await ScriptedModel.start();
    const folder = newDataFolder();
    mkdirSync(join(folder, "opencode"));
    const { provider, ...rest } = openCodeConfiguration(model);
    const { apiKey: _, ...options } = provider.scripted.options;
    const configuration = { ...rest, provider: { scripted: { ...provider.scripted, options } } };
    writeFileSync(join(folder, "opencode/opencode.json"), JSON.stringify(configuration));
    const stored = { scripted: { type: "api", key: STORED_KEY } };
    writeFileSync(join(folder, "opencode/auth.json"), JSON.stringify(stored), { mode: 0o600 });
    const keys = join(folder, "keys.json");
    writeFileSync(keys, JSON.stringify({ A_KEY_OF_THE_HOST: HOST_KEY }), { mode: 0o600 });
    const { OPENCODE_CONFIG_CONTENT: __, ...env } = openCodeEnv(model, folder);
    const times = { hibernateMs: 2_000 };
    product = await Product.start({ ...env, AGENT_OPS_KEYS: keys, TIMES: JSON.stringify(times) });
    session = await AgentScene.open(product, { agent: "opencode" });
  });
  beforeEach(() => session.reload());
  afterAll(async () => {
    await product.destroy();
    await model.close();
  });

  it("OC9: its configuration file and what `auth login` stored reach it", async () => {
    const turn = await session.run([{ text: "Configured." }], "The first prompt.");
    expect(turn.text).toBe("Configured.");
    expect(model.requestsWith("The first prompt.")[0]?.headers.authorization).toBe(`Bearer ${STORED_KEY}`);
  });

  it("HOST2: an agent that prints its environment shows no key to anybody", async () => {
    const command = "env";
    const turn = session.begin([{ tool: "bash", args: { command, description: "Look around" } }, { text: "Seen." }]);
    await turn.answer({ approved: true });
    await turn.ended();
    const told = turn.told("message.part.tool-update").findLast(({ status }) => status === "completed");
    expect(JSON.stringify(told)).toContain("A_KEY_OF_THE_HOST=[hidden]");
    expect(JSON.stringify(told)).toContain("OPENCODE_SERVER_PASSWORD=[hidden]");
    const seen = [
      JSON.stringify(session.scene.reader.events),
      JSON.stringify(await session.scene.history()),
      ...session.client.frames,
      product.stderr,
    ].join("\n");
    expect(seen).toContain("A_KEY_OF_THE_HOST");
    for (const key of [HOST_KEY, STORED_KEY, OPEN_CODE_KEY]) {
      expect(seen.includes(key), key).toBe(false);
      expect(filesWith(join(product.data, "private"), key)).toEqual([]);
    }
  });

  it("LIFE1 OC7: hibernates, leaves no process, and is restored with its memory", async () => {
    await session.scene.reader.until(() => session.scene.logged("status").at(-1)?.status === "hibernated");
    await expect.poll(() => processesIn(session.workspace)).toEqual([]);
    const turn = await session.run([{ text: "Good morning." }], "Good morning?");
    await turn.expectGolden("opencode-restored");
    const said = JSON.stringify(model.requestsWith("Good morning?")[0]?.body);
    expect(said).toContain("The first prompt.");
    expect(said).toContain("Configured.");
  });

  it("RUN8 OC8: a runner that is killed takes its OpenCode with it; the next prompt goes on with both", async () => {
    const turn = session.begin([{ text: "A long answer that never ends", hang: 30_000 }]);
    await turn.until(({ text }) => text !== "");
    const before = processesIn(session.workspace).map(({ pid }) => pid);
    expect(before).not.toEqual([]);
    process.kill(product.runnerPid(), "SIGKILL");
    await expect.poll(() => processesIn(session.workspace).filter(({ pid }) => before.includes(pid))).toEqual([]);
    expect(await turn.ended()).toMatchObject({ reason: "error" });
    const next = await session.run([{ text: "Both are back." }], "After the runner.");
    expect(next.text).toBe("Both are back.");
    expect(JSON.stringify(model.requestsWith("After the runner.")[0]?.body)).toContain("The first prompt.");
  });

  it("OC10: a model that the prompt names is the one that is asked; a name it does not know is an error", async () => {
    const { reader } = session.scene;
    const ask = async (id: string, name: string) => {
      reader.send({ type: "prompt", id, text: scripted([{ text: "Other." }], id), model: name });
      await reader.until(() => session.scene.logged("message.finalize").length > before);
      return session.scene.logged("message.finalize").at(-1);
    };
    let before = session.scene.logged("message.finalize").length;
    expect(await ask("choose-1", "scripted/other-model")).toMatchObject({ reason: "end_turn" });
    expect(model.requestsWith("choose-1")[0]?.body).toMatchObject({ model: "other-model" });
    before += 1;
    expect(await ask("choose-2", "nonsense")).toMatchObject({ reason: "error" });
    before += 1;
    expect(await ask("choose-3", "scripted/no-such-model")).toMatchObject({ reason: "error" });
  });

  it("OC1: a file that comes with a prompt reaches the model", async () => {
    const { reader } = session.scene;
    const before = session.scene.logged("message.finalize").length;
    const url = `data:text/plain;base64,${Buffer.from("The word is quince.").toString("base64")}`;
    const attachments = [{ type: "file", mediaType: "text/plain", filename: "note.txt", url }];
    reader.send({ type: "prompt", id: "attached", text: scripted([{ text: "Read." }], "See the note."), attachments });
    await reader.until(() => session.scene.logged("message.finalize").length > before);
    expect(session.scene.logged("message.finalize").at(-1)).toMatchObject({ reason: "end_turn" });
    expect(JSON.stringify(model.requestsWith("See the note.")[0]?.body)).toContain("The word is quince.");
  });

  it("POOL7: a session that is deleted in the middle of a turn leaves no process, no folder and no home", async () => {
    const turn = session.begin([{ text: "A long answer that never ends", hang: 30_000 }]);
    await turn.until(({ text }) => text !== "");
    const { api, sessionId } = session.scene;
    expect((await api.request("DELETE", `/api/sessions/${sessionId}`)).status).toBe(204);
    await expect.poll(() => processesIn(session.workspace)).toEqual([]);
    for (const folder of ["workspaces", "homes"]) {
      await expect.poll(() => existsSync(join(product.data, folder, sessionId))).toBe(false);
    }
  });
});
