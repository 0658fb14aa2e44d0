import { describe, expect, inject, it } from "vitest";
import { Api, sseChunks } from "../src/api.ts";
import { V2Reader } from "../src/v2-reader.ts";

const product = inject("product");
const UNKNOWN = "ses_00000000000000000000ffffffffff";

async function expectError(response: Response, status: number, code: string): Promise<void> {
  const body: unknown = await response.json();
  expect({ status: response.status, body }).toEqual({ status, body: { code, message: expect.any(String) } });
  expect(response.headers.get("x-error-code")).toBe(code);
}

describe("errors before a stream", () => {
  it("ACL1: without a token, with a wrong one and with an expired one", async () => {
    const api = await Api.of(product);
    const sessionId = await api.createSession();
    const path = `/api/sessions/${sessionId}/chat`;
    const post = (headers: Record<string, string>) =>
      fetch(product.url + path, { method: "POST", headers, body: "{}" });
    await expectError(await post({}), 401, "unauthorized");
    await expectError(await post({ authorization: "Bearer nonsense" }), 401, "unauthorized");
    await expectError(await post({ authorization: "Basic YTpi" }), 401, "unauthorized");
    await expectError(await fetch(`${product.url}/api/sessions`), 401, "unauthorized");
  });

  it("ACL2: an unknown session, somebody else's, and a well-formed id that nobody made", async () => {
    const api = await Api.of(product);
    const mallory = await Api.of(product, "mallory");
    const theirs = await api.createSession();
    const body = { messages: [{ role: "user", content: "hi" }] };
    for (const [who, id] of [
      [api, UNKNOWN],
      [api, "nonsense"],
      [mallory, theirs],
    ] as const) {
      await expectError(await who.request("POST", `/api/sessions/${id}/chat`, body), 404, "not_found");
      await expectError(await who.request("GET", `/api/sessions/${id}`), 404, "not_found");
      await expectError(await who.request("GET", `/api/sessions/${id}/messages`), 404, "not_found");
      await expectError(await who.request("GET", `/api/sessions/${id}/chat/x/stream`), 404, "not_found");
      await expectError(await who.request("POST", `/api/sessions/${id}/ticket`), 404, "not_found");
    }
  });

  it.each([
    ["bad_json", "{nope"],
    ["bad_json", ""],
    ["no_messages", "{}"],
    ["no_messages", '{"messages":[]}'],
    ["no_messages", '{"messages":[{"role":"assistant","content":"x"}]}'],
    ["no_messages", "[]"],
    ["bad_request", '{"messages":"hello"}'],
    ["bad_request", '{"messages":[{"role":1}]}'],
    ["empty_prompt", '{"messages":[{"role":"user","content":""}]}'],
    ["empty_prompt", '{"messages":[{"role":"user","parts":[{"type":"text","text":"   "}]}]}'],
    ["empty_prompt", '{"messages":[{"role":"user","parts":[]}]}'],
  ])("SSE3: %s for the body %s", async (code, body) => {
    const api = await Api.of(product);
    const sessionId = await api.createSession();
    await expectError(await api.request("POST", `/api/sessions/${sessionId}/chat`, body), 400, code);
  });

  it("SSE3: 405 for a wrong method, with what is allowed", async () => {
    const api = await Api.of(product);
    const sessionId = await api.createSession();
    for (const [method, path] of [
      ["PUT", `/api/sessions/${sessionId}/chat`],
      ["DELETE", "/api/sessions"],
      ["POST", `/api/sessions/${sessionId}/messages`],
      ["GET", `/api/sessions/${sessionId}/abort`],
    ] as const) {
      await expectError(await api.request(method, path), 405, "method_not_allowed");
    }
  });

  it("SSE3: a body over the limit is refused", async () => {
    const api = await Api.of(product);
    const sessionId = await api.createSession();
    const content = "x".repeat(9 * 1024 * 1024);
    const response = await api.request("POST", `/api/sessions/${sessionId}/chat`, {
      messages: [{ role: "user", content }],
    });
    await expectError(response, 413, "too_large");
  });

  it("says so where there is no route, and what is wrong with a new session", async () => {
    const api = await Api.of(product);
    await expectError(await api.request("GET", "/api/nothing"), 404, "not_found");
    await expectError(await api.request("POST", "/api/sessions", { agent: "No Such Agent!" }), 400, "bad_request");
    await expectError(await api.request("POST", "/api/sessions", "{"), 400, "bad_json");
  });

  it("TURN6: nothing to abort is a conflict, an unknown question is not found", async () => {
    const api = await Api.of(product);
    const sessionId = await api.createSession();
    await expectError(await api.request("POST", `/api/sessions/${sessionId}/abort`, {}), 409, "nothing_running");
    await expectError(
      await api.request("POST", `/api/sessions/${sessionId}/questions/none`, { value: "x" }),
      404,
      "not_found",
    );
  });
});

describe("sessions", () => {
  it("are created, listed, read and renamed by their owner", async () => {
    const api = await Api.of(product, "carol");
    const created = await api.request("POST", "/api/sessions", { agent: "demo", title: "First" });
    expect(created.status).toBe(201);
    const view = await created.json();
    expect(view).toEqual({
      id: expect.stringMatching(/^ses_[0-9a-f]{30}$/),
      agent: "demo",
      title: "First",
      status: "ready",
      role: "owner",
      createdAt: expect.any(Number),
    });
    const renamed = await api.request("PATCH", `/api/sessions/${view.id}`, { title: "Second" });
    expect(await renamed.json()).toEqual({ ...view, title: "Second" });
    const listed = await (await api.request("GET", "/api/sessions")).json();
    expect(listed).toEqual({ sessions: [{ ...view, title: "Second" }] });
  });
});

describe("deletion", () => {
  it("ACL6: the owner deletes a session; it is gone for everyone, and its sockets are closed", async () => {
    const api = await Api.of(product);
    const sessionId = await api.createSession();
    const reader = new V2Reader(api, sessionId);
    await reader.connect();
    const { closed } = reader;
    const stream = await api.chat(sessionId, "/stream 100000 20");
    expect((await api.request("DELETE", `/api/sessions/${sessionId}`)).status).toBe(204);
    await closed;
    expect(sseChunks(await stream.text()).at(-1)).toEqual({ type: "error", errorText: "The session was deleted." });
    await expectError(await api.request("GET", `/api/sessions/${sessionId}`), 404, "not_found");
    await expectError(await api.request("DELETE", `/api/sessions/${sessionId}`), 404, "not_found");
    const { sessions } = await (await api.request("GET", "/api/sessions")).json();
    expect(sessions.map((session: { id: string }) => session.id)).not.toContain(sessionId);
  });
});
