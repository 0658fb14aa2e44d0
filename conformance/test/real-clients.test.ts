import { describe, expect, inject, it } from "vitest";
import { Api } from "../src/api.ts";
import { type ChatClient, type ClientVersion, createClient, partsOf } from "../src/clients/create-client.ts";

const product = inject("product");
const VERSIONS: ClientVersion[] = ["5", "5-strict", "6", "7"];
const OK = "dynamic-tool:output-available";

/** What each prompt must look like in the client when it is over. */
const CONVERSATION: [prompt: string, parts: string[]][] = [
  ["Hello, agent!", ["step-start", "text:done"]],
  ["/think", ["step-start", "reasoning:done", "text:done"]],
  ["/tool", ["step-start", OK, "text:done"]],
  ["/tools 3", ["step-start", "text:done", OK, "text:done", OK, "text:done", OK, "text:done"]],
  ["/tool-error", ["step-start", "dynamic-tool:output-error", "text:done"]],
  ["/progress", ["step-start", OK, "text:done"]],
  ["/args", ["step-start", OK, "text:done"]],
  ["/steps 2", ["step-start", "text:done", "step-start", "text:done"]],
  ["/empty", ["step-start"]],
];

async function openChat(version: ClientVersion): Promise<ChatClient> {
  const api = await Api.of(product);
  const sessionId = await api.createSession();
  return createClient(version, {
    api: `${product.url}/api/sessions/${sessionId}/chat`,
    chatId: sessionId,
    headers: api.headers,
  });
}

describe.each(VERSIONS)("AI SDK %s", (version) => {
  it("SSE1 SSE2 TR1-TR15: holds a whole conversation with the demo agent", async () => {
    const client = await openChat(version);
    for (const [prompt, parts] of CONVERSATION) {
      await client.send(prompt);
      await client.waitUntilReady();
      expect(client.error).toBeUndefined();
      expect([prompt, client.status]).toEqual([prompt, "ready"]);
      const answer = client.messages.at(-1);
      expect(answer?.role).toBe("assistant");
      expect([prompt, answer && partsOf(answer)]).toEqual([prompt, parts]);
    }
    expect(client.messages).toHaveLength(2 * CONVERSATION.length);
    expect(await client.frameProblems()).toEqual([]);
    await client.validateHistory();
  });

  it("SSE3 TR9: an agent's error puts the client into `error`, and the next message works", async () => {
    const client = await openChat(version);
    await client.send("/error");
    await client.waitUntilReady();
    expect([client.status, client.error?.message]).toEqual(["error", expect.stringContaining("failed on purpose")]);
    await client.send("Hello again");
    await client.waitUntilReady();
    expect(client.status).toBe("ready");
  });

  it("EV7: the stored history is what the client has", async () => {
    const api = await Api.of(product);
    const sessionId = await api.createSession();
    const url = `${product.url}/api/sessions/${sessionId}/chat`;
    const client = createClient(version, { api: url, chatId: sessionId, headers: api.headers });
    for (const prompt of ["/think", "/tools 2", "/progress", "/steps 3"]) {
      await client.send(prompt);
      await client.waitUntilReady();
    }
    const page = await (await api.request("GET", `/api/sessions/${sessionId}/messages`)).json();
    const shape = (messages: readonly { parts: readonly { type: string; state?: string }[] }[]) =>
      messages.map((message) => message.parts.map((part) => [part.type, part.state]));
    expect(shape(page.messages)).toEqual(shape(client.messages));
    expect(page.messages.map((message: { id: string }) => message.id)).toEqual(client.messages.map(({ id }) => id));
  });
});
