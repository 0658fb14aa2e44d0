import { randomUUID } from "node:crypto";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, inject, it, onTestFinished } from "vitest";
import { Api, sseChunks } from "../src/api.ts";
import { type ChatClient, type ClientVersion, createClient, partsOf } from "../src/clients/create-client.ts";
import { Product } from "../src/product.ts";
import { expectRefusal, expectWholeStream } from "../src/refusals.ts";
import { V2Reader } from "../src/v2-reader.ts";

const product = inject("product");
const VERSIONS: ClientVersion[] = ["5", "5-strict", "6", "7"];

function open(version: ClientVersion, api: Api, chatId: string): ChatClient {
  return createClient(version, { api: `${product.url}/api/chat`, chatId, headers: api.headers });
}

function post(api: Api, id: unknown, content: string, messageId?: string): Promise<Response> {
  return api.request("POST", "/api/chat", { id, messages: [{ id: messageId, role: "user", content }] });
}

async function sessionsOf(api: Api): Promise<{ id: string; agent: string; status: string; role: string }[]> {
  return (await (await api.request("GET", "/api/sessions")).json()).sessions;
}

/** Stops what runs in the user's only session. */
async function stop(api: Api): Promise<void> {
  const [session] = await sessionsOf(api);
  expect((await api.request("POST", `/api/sessions/${session?.id}/abort`, {})).status).toBe(202);
}

function actorFiles(data: string): string[] {
  return readdirSync(join(data, "private/worker/do/agent-ops-SessionAgent")).sort();
}

/** A user that nobody else in these tests is. */
function newUser(): Promise<Api> {
  return Api.of(product, `user-${randomUUID()}`);
}

describe.each(VERSIONS)("useChat's default URL with AI SDK %s", (version) => {
  it("SSE10: the first message makes a session of the user's own, the next ones go on in it", async () => {
    const api = await newUser();
    const client = open(version, api, "my-chat");
    await client.resume();
    await client.waitUntilReady();
    expect([client.status, client.exchanges.map(({ status }) => status)]).toEqual(["ready", [204]]);
    expect(await sessionsOf(api)).toEqual([]);
    for (const prompt of ["Hello", "/think", "/tool"]) {
      await client.send(prompt);
      await client.waitUntilReady();
      expect([client.status, client.error]).toEqual(["ready", undefined]);
    }
    expect(client.messages.map(({ role }) => role)).toEqual(Array(3).fill(["user", "assistant"]).flat());
    expect(client.messages.slice(-1).map(partsOf)).toEqual([
      ["step-start", "dynamic-tool:output-available", "text:done"],
    ]);
    expect(await client.frameProblems()).toEqual([]);
    const listed = expect.objectContaining({ agent: "demo", status: "ready", role: "owner" });
    await expect.poll(() => sessionsOf(api)).toEqual([listed]);
    const [session] = await sessionsOf(api);
    const page = await (await api.request("GET", `/api/sessions/${session?.id}/messages`)).json();
    expect(page.messages.map(({ id }: { id: string }) => id)).toEqual(client.messages.map(({ id }) => id));
  });

  it("SSE6 SSE10: a reload in the middle of a turn goes on with it", async () => {
    const api = await newUser();
    const first = open(version, api, "reloaded");
    const sending = first.send("/stream 100000 10");
    const hasText = (client: ChatClient) => client.frames.some((frame) => frame.includes("text-delta"));
    await expect.poll(() => hasText(first)).toBe(true);
    const second = open(version, api, "reloaded");
    const resuming = second.resume();
    await expect.poll(() => hasText(second)).toBe(true);
    await stop(api);
    await resuming;
    await second.waitUntilReady();
    await sending;
    await first.waitUntilReady();
    expect([second.status, second.error]).toEqual(["ready", undefined]);
    expect(second.messages.at(-1)?.parts).toEqual(first.messages.at(-1)?.parts);
    expect(second.messages.at(-1)?.id).toBe(first.messages.at(-1)?.id);
    expect(await second.frameProblems()).toEqual([]);
  });
});

describe("the session behind a chat's id", () => {
  it("SSE10: x-chat-session-id names it, the same one every time, also when there is nothing to resume", async () => {
    const api = await newUser();
    const first = await post(api, "named", "/empty");
    const id = first.headers.get("x-chat-session-id");
    await expectWholeStream(first);
    expect(id).toMatch(/^ses_[0-9a-f]{30}$/);
    expect((await sessionsOf(api)).map((session) => session.id)).toEqual([id]);
    const second = await post(api, "named", "/empty");
    expect(second.headers.get("x-chat-session-id")).toBe(id);
    await second.text();
    const resumed = await api.request("GET", "/api/chat/named/stream");
    expect([resumed.status, resumed.headers.get("x-chat-session-id")]).toEqual([204, id]);
    const refused = await post(api, "named", " ");
    await expectRefusal(refused, 400, "empty_prompt");
  });

  it("SSE10 ACL2: the same chat id of two users is two sessions, and neither sees the other's", async () => {
    const [alice, bob] = [await newUser(), await newUser()];
    const hers = await post(alice, "shared-name", "/stream 100000 10");
    const his = await post(bob, "shared-name", "/empty");
    const [herId, hisId] = [hers, his].map((response) => response.headers.get("x-chat-session-id"));
    expect(herId).not.toBe(hisId);
    await his.text();
    expect((await bob.request("GET", "/api/chat/shared-name/stream")).status).toBe(204);
    expect((await bob.request("GET", `/api/chat/${herId}/stream`)).status).toBe(204);
    await expectRefusal(await bob.request("GET", `/api/sessions/${herId}`), 404, "not_found");
    await expectRefusal(await bob.request("GET", `/api/sessions/${herId}/chat/x/stream`), 404, "not_found");
    expect((await alice.request("GET", "/api/chat/shared-name/stream")).status).toBe(200);
    await stop(alice);
    await expectWholeStream(hers);
  });

  it("SSE10: chat ids that look alike are different chats", async () => {
    const api = await newUser();
    const ids = ["a", "A", "a ", " a", "a/b", "a%2Fb", "\u00e9", "e\u0301", '["x","a"]', "__proto__"];
    for (const id of ids) await (await post(api, id, "/empty")).text();
    expect(new Set((await sessionsOf(api)).map(({ id }) => id)).size).toBe(ids.length);
    const resumed = await api.request("GET", `/api/chat/${encodeURIComponent("a/b")}/stream`);
    expect(resumed.headers.get("x-chat-session-id")).not.toBeNull();
  });

  it("SSE10: ten first messages at once make one session and one turn", async () => {
    const api = await newUser();
    const all = await Promise.all(Array.from({ length: 10 }, () => post(api, "race", "/stream 5 5", "same")));
    const bodies = await Promise.all(all.map((response) => response.text()));
    expect(new Set(all.map((response) => response.headers.get("x-chat-session-id"))).size).toBe(1);
    expect(new Set(all.map((response) => response.headers.get("x-workflow-run-id"))).size).toBe(1);
    for (const body of bodies) expect(sseChunks(body).at(-1)).toEqual({ type: "finish" });
    expect(await sessionsOf(api)).toHaveLength(1);
  });

  it("SSE10: it is a session like any other: it can be read, renamed and deleted", async () => {
    const api = await newUser();
    const first = await post(api, "life", "/empty");
    const id = first.headers.get("x-chat-session-id") ?? "";
    await first.text();
    const reader = new V2Reader(api, id);
    await reader.connect();
    await reader.untilTurnEnd();
    reader.close();
    expect((await api.request("PATCH", `/api/sessions/${id}`, { title: "Mine" })).status).toBe(200);
    expect(await sessionsOf(api)).toEqual([expect.objectContaining({ id, title: "Mine" })]);
    expect((await api.request("DELETE", `/api/sessions/${id}`)).status).toBe(204);
    expect((await api.request("GET", "/api/chat/life/stream")).status).toBe(204);
    expect(await sessionsOf(api)).toEqual([]);
  });

  it("SSE10 ACL2: asking for chats that never were, and requests that are refused, leave nothing on disk", async () => {
    const own = await Product.start();
    onTestFinished(() => own.destroy());
    const api = await Api.of(own);
    await api.createSession();
    const before = actorFiles(own.data);
    for (const id of ["never", "never-2", "%00", "x".repeat(2000), randomUUID()]) {
      const response = await api.request("GET", `/api/chat/${id}/stream`);
      expect([response.status, response.headers.get("x-chat-session-id")]).toEqual([204, null]);
    }
    const since = performance.now();
    expect((await api.request("GET", "/api/chat/never/stream?wait=1")).status).toBe(204);
    expect(performance.now() - since).toBeGreaterThan(900); // SSE9: who asks for one turn after the other asks no faster
    await expectRefusal(await post(api, undefined, "/empty"), 400, "bad_request");
    await expectRefusal(await post(api, 5, "/empty"), 400, "bad_request");
    await expectRefusal(await post(api, "", "/empty"), 400, "bad_request");
    await expectRefusal(await post(api, "refused", "  "), 400, "empty_prompt");
    await expectRefusal(await api.request("POST", "/api/chat", "{"), 400, "bad_json");
    expect(actorFiles(own.data)).toEqual(before);
    expect(await sessionsOf(api)).toHaveLength(1);
  });

  it("ACL1: nobody without a token", async () => {
    await expectRefusal(await fetch(`${product.url}/api/chat`, { method: "POST", body: "{}" }), 401, "unauthorized");
    await expectRefusal(await fetch(`${product.url}/api/chat/x/stream`), 401, "unauthorized");
  });
});
