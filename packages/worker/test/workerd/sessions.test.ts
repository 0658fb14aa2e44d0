import { SELF } from "cloudflare:test";
import { describe, expect, it } from "vitest";
import { newUser, ORIGIN, refusal } from "./support/api.ts";

describe("the sessions' routes", () => {
  it("ACL1: create, list, read and rename a session", async () => {
    const ann = newUser("ann");
    const created = await ann.post("/api/sessions", { agent: "demo", title: " First " });
    expect(created.status).toBe(201);
    const view = await created.json<{ id: string }>();
    expect(view).toEqual({
      id: expect.stringMatching(/^ses_/),
      agent: "demo",
      title: "First",
      status: "ready",
      role: "owner",
      createdAt: expect.any(Number),
    });
    expect(await (await ann.fetch(`/api/sessions/${view.id}`)).json()).toEqual(view);
    const renamed = await ann.fetch(`/api/sessions/${view.id}`, { method: "PATCH", body: { title: "Second" } });
    expect(await renamed.json()).toMatchObject({ id: view.id, title: "Second" });
    await expect
      .poll(async () => (await ann.fetch("/api/sessions")).json())
      .toEqual({ sessions: [{ ...view, title: "Second" }] });
  });

  it("LIFE8: a session that names no agent has the default one", async () => {
    const made = await newUser("ann").post("/api/sessions", {});
    expect(made.status).toBe(201);
    expect(await made.json()).toMatchObject({ agent: "demo" });
  });

  it("ACL1: the list has the newest session first", async () => {
    const ann = newUser("ann");
    const ids: string[] = [];
    for (let count = 0; count < 3; count++) ids.push(await ann.createSession());
    const { sessions } = await (await ann.fetch("/api/sessions")).json<{
      sessions: { id: string; createdAt: number }[];
    }>();
    expect(sessions.map((session) => session.id).toSorted()).toEqual(ids.toSorted());
    const times = sessions.map((session) => session.createdAt);
    expect(times).toEqual(times.toSorted((a, b) => b - a));
  });

  it("ACL2: a stranger gets not_found for everything, as if the session did not exist", async () => {
    const id = await newUser("ann").createSession();
    const eve = newUser("eve");
    const answers = [
      eve.fetch(`/api/sessions/${id}`),
      eve.fetch(`/api/sessions/${id}`, { method: "PATCH", body: { title: "Mine" } }),
      eve.fetch(`/api/sessions/${id}/messages`),
      eve.post(`/api/sessions/${id}/abort`),
      eve.post(`/api/sessions/${id}/questions/q1`, { approved: true }),
      eve.post(`/api/sessions/${id}/ticket`),
      eve.chat(id, "hello"),
      eve.fetch(`/api/sessions/${id}/chat/c1/stream`),
      eve.fetch(`/api/sessions/${id}/ws`, { headers: { upgrade: "websocket" } }),
    ];
    for (const answer of answers) expect(await refusal(await answer)).toBe("404 not_found true");
    expect(await (await eve.fetch("/api/sessions")).json()).toEqual({ sessions: [] });
  });

  it("ACL1, SSE3: without a token, with a bad one, and with one of another kind: 401 before anything else", async () => {
    const id = await newUser("ann").createSession();
    const paths = ["/api/me", "/api/sessions", `/api/sessions/${id}`, `/api/sessions/${id}/messages`, "/api/nothing"];
    for (const path of paths) {
      for (const authorization of [undefined, "Bearer x", "Basic YTpi"]) {
        const headers = authorization ? { authorization } : undefined;
        expect(await refusal(await SELF.fetch(`${ORIGIN}${path}`, { headers }))).toBe("401 unauthorized true");
      }
    }
    const chat = await SELF.fetch(`${ORIGIN}/api/sessions/${id}/chat`, { method: "POST", body: "{}" });
    expect(await refusal(chat)).toBe("401 unauthorized true");
  });

  it.each<[string, unknown, string]>([
    ["bad JSON", "{", "400 bad_json true"],
    ["an agent with a strange name", { agent: "../etc" }, "400 bad_request true"],
    ["an empty title", { agent: "demo", title: "  " }, "400 bad_request true"],
    ["a title of 201 characters", { agent: "demo", title: "x".repeat(201) }, "400 bad_request true"],
    ["a body that is too large", { agent: "demo", title: "x".repeat(70_000) }, "413 too_large true"],
  ])("SSE3: creating with %s is refused", async (_what, body, expected) => {
    expect(await refusal(await newUser().post("/api/sessions", body))).toBe(expected);
  });

  it("SSE3: a wrong method is 405 and says which are right", async () => {
    const ann = newUser();
    const id = await ann.createSession();
    const answer = await ann.fetch(`/api/sessions/${id}/chat`, { method: "PUT", body: {} });
    expect(await refusal(answer)).toBe("405 method_not_allowed true");
    expect(answer.headers.get("allow")).toContain("POST");
  });

  it.each<[string, unknown, string]>([
    ["bad JSON", "{", "400 bad_json true"],
    ["no messages", {}, "400 no_messages true"],
    ["an empty list", { messages: [] }, "400 no_messages true"],
    ["no user message", { messages: [{ role: "assistant", parts: [] }] }, "400 no_messages true"],
    ["an empty prompt", { messages: [{ role: "user", content: " " }] }, "400 empty_prompt true"],
    ["a prompt that is too long", { messages: [{ role: "user", content: "x".repeat(300_000) }] }, "413 too_large true"],
    ["a body that is too large", "x".repeat(9 * 1024 * 1024), "413 too_large true"],
  ])("SSE3: a chat request with %s is refused before any stream", async (_what, body, expected) => {
    const ann = newUser();
    const id = await ann.createSession();
    expect(await refusal(await ann.post(`/api/sessions/${id}/chat`, body))).toBe(expected);
  });

  it("SSE6: with no turn running there is nothing to resume: 204", async () => {
    const ann = newUser();
    const id = await ann.createSession();
    expect((await ann.fetch(`/api/sessions/${id}/chat/c1/stream`)).status).toBe(204);
  });
});
