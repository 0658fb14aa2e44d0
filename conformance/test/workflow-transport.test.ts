import { describe, expect, inject, it } from "vitest";
import { Network } from "../src/clients/network.ts";
import { openChatOver } from "../src/clients/sdk7.ts";
import { WorkflowTransport } from "../src/clients/workflow-transport.ts";
import { expectHistory, expectUsable, reply, Scene } from "../src/scene.ts";

const product = inject("product");

/** A client that comes back by itself, over a network that a test can break; `requests` is what it asked for. */
function connect(scene: Scene, chatId = scene.sessionId, headers: Record<string, string> = {}) {
  const network = new Network();
  const requests: string[] = [];
  const transport = new WorkflowTransport({
    api: scene.url,
    headers: { ...scene.api.headers, ...headers },
    fetch: (input, init) => {
      requests.push(String(input).slice(scene.url.length));
      return network.fetch(input, init);
    },
  });
  return { network, requests, client: scene.client("7", { openChat: openChatOver(transport), chatId }) };
}

describe.concurrent("a client that resumes by the number of chunks it got", () => {
  it.each([
    ["/tour", (scene: Scene) => scene.answer({ approved: true })],
    ["/stream 100000 5", (scene: Scene) => scene.abort()],
  ])("SSE8 SSE6 DIS1: %s arrives whole, once, though the connection breaks three times", async (prompt, end) => {
    const scene = await Scene.open(product);
    const { client, network, requests } = connect(scene);
    const sending = client.send(prompt);
    for (const count of [1, 2, 3]) {
      await client.until(() => requests.length === count && network.lines === 1 && reply(client).length > count * 5);
      network.cut();
    }
    await client.until(() => network.lines === 1);
    await end(scene);
    await sending;
    expect([client.status, client.error]).toEqual(["ready", undefined]);
    const resumed = expect.stringMatching(/^\/[0-9a-f-]+\/stream\?startIndex=\d+$/);
    expect(requests).toEqual(["", resumed, resumed, resumed]);
    await expectHistory(scene, client);
    await expectUsable(client);
  });

  it("SSE8 SSE3: after an error it does not come back for ever", async () => {
    const scene = await Scene.open(product);
    const { client, requests } = connect(scene);
    await client.send("/error");
    expect([client.status, client.error?.message]).toEqual(["error", expect.stringContaining("failed on purpose")]);
    await expectUsable(client);
    expect(requests.length).toBeLessThanOrEqual(3);
  });

  it("SSE6 SSE8: reloaded, it takes the run up by its id, also when that has ended", async () => {
    const scene = await Scene.open(product);
    const { client } = connect(scene);
    await client.send("/tools 3");
    const run = String(client.messages[1]?.id);
    const { client: back } = connect(scene, run);
    await back.resume();
    expect(back.messages[0]?.parts).toEqual(client.messages[1]?.parts);
    await expectUsable(client);
  });

  it("TR16: a native approval ends its stream, and the answer continues the message", async () => {
    const scene = await Scene.open(product);
    const { client, requests } = connect(scene, scene.sessionId, { "x-agent-ops-approvals": "native" });
    await client.send("/approve");
    expect(client.messages[1]?.parts[1]?.state).toBe("approval-requested");
    await client.answerApproval({ id: await scene.question(), approved: true });
    await client.waitUntilReady();
    expect(reply(client)).toBe("Done: approved.txt is there now.");
    expect(requests).toEqual(["", ""]);
    await expectUsable(client);
  });
});
