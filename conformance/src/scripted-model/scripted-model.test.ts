import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { scripted, scriptIn } from "./script.ts";
import { ScriptedModel } from "./scripted-model.ts";

const TOOLS = [{ type: "function", function: { name: "bash" } }];

describe("the scripted model", () => {
  let model: ScriptedModel;

  beforeAll(async () => {
    model = await ScriptedModel.start();
  });
  afterAll(() => model.close());

  async function post(path: string, body: object): Promise<Response> {
    return fetch(model.origin + path, { method: "POST", body: JSON.stringify(body) });
  }

  async function chat(messages: object[], change: object = {}): Promise<Response> {
    return post("/v1/chat/completions", { messages, tools: TOOLS, stream: true, ...change });
  }

  async function frames(response: Response) {
    const lines = (await response.text()).split("\n").filter((line) => line.startsWith("data: {"));
    return lines.map((line) => JSON.parse(line.slice("data: ".length)));
  }

  it("finds the outermost script, however many are inside of it", () => {
    const inner = scripted([{ text: "inner" }]);
    const steps = [{ tool: "task", args: { prompt: inner } }, { text: "outer" }];
    expect(scriptIn(`Before. ${scripted(steps)} after.`)).toEqual(steps);
    expect(scriptIn("No script here.")).toBeUndefined();
  });

  it("is at the step that the tool results since the prompt say, and at none of another prompt's", async () => {
    const prompt = { role: "user", content: scripted([{ tool: "bash", args: { a: 1 } }, { text: "Done." }]) };
    const call = { role: "assistant", content: null, tool_calls: [] };
    const result = { role: "tool", content: "ok" };
    const first = await frames(await chat([prompt]));
    const names = first.flatMap(({ choices }) => choices[0]?.delta.tool_calls?.[0]?.function.name ?? []);
    expect(names).toEqual(["bash"]);
    const said = async (messages: object[]) =>
      (await frames(await chat(messages))).map(({ choices }) => choices[0]?.delta.content ?? "").join("");
    expect(await said([prompt, call, result, result])).toBe("Done.");
    expect(await said([prompt, call, result, { role: "user", content: "And now?" }])).toBe('You said: "And now?"');
    expect(await said([prompt, call, result, { role: "user", content: "<reminder>x</reminder>" }])).toBe("Done.");
  });

  it("names a conversation where it is asked for a title", async () => {
    const messages = [
      { role: "system", content: "You are a title generator." },
      { role: "user", content: scripted([{ status: 500 }]) },
    ];
    const response = await chat(messages, { tools: undefined, stream: false });
    expect((await response.json()).choices[0].message.content).toBe("Scripted title");
  });

  it("fails as it is told, so many times, and writes down who left", async () => {
    const prompt = [
      { role: "user", content: scripted([{ status: 503, headers: { "x-y": "z" }, times: 1 }, { text: "!" }]) },
    ];
    const failed = await chat(prompt);
    expect([failed.status, failed.headers.get("x-y")]).toEqual([503, "z"]);
    expect((await chat(prompt)).status).toBe(200);
    const leaving = new AbortController();
    const body = JSON.stringify({ messages: [{ role: "user", content: scripted([{ text: "x", hang: 60_000 }]) }] });
    const response = await fetch(`${model.openAiUrl}/chat/completions`, {
      method: "POST",
      body: body.replace("{", '{"stream":true,'),
      signal: leaving.signal,
    });
    expect(response.status).toBe(200);
    leaving.abort();
    await expect.poll(() => model.requests.at(-1)?.outcome).toBe("left");
  });

  it("speaks Gemini's and Anthropic's dialects too", async () => {
    const text = scripted([{ reasoning: "Hm.", text: "Hi.", tool: "ls", args: { path: "." } }]);
    const gemini = await frames(
      await post("/v1beta/models/m:streamGenerateContent?alt=sse", { contents: [{ role: "user", parts: [{ text }] }] }),
    );
    const parts = gemini.flatMap(({ candidates }) => candidates[0].content.parts);
    expect(parts.map((part) => Object.keys(part)[0])).toEqual(["text", "text", "functionCall", "text"]);
    const anthropic = await frames(
      await post("/v1/messages", { messages: [{ role: "user", content: text }], stream: true }),
    );
    const begun = anthropic.filter(({ type }) => type === "content_block_start");
    expect(begun.map(({ content_block: { type } }) => type)).toEqual(["thinking", "text", "tool_use"]);
    expect(anthropic.at(-1)).toEqual({ type: "message_stop" });
  });
});
