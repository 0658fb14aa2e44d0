import { env } from "cloudflare:workers";
import { LIMITS } from "@agent-ops/shared/limits";
import { describe, expect, it } from "vitest";
import { actorRequest } from "../../src/lib/actor-request.ts";
import { type Caller, newUser, refusal } from "./support/api.ts";

/** A request to a session whose body is still on its way; `finish` sends the rest of it. */
async function slowRequest(sessionId: string, { user }: Caller, path: string, body: unknown) {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const by = { user, expiresAt: Date.now() + 60_000 };
  const answer = env.SESSIONS.getByName(sessionId).fetch(actorRequest(path, by, { method: "POST", body: readable }));
  const bytes = new TextEncoder().encode(JSON.stringify(body));
  const writer = writable.getWriter();
  await writer.write(bytes.slice(0, 1));
  const finish = async () => {
    await writer.write(bytes.slice(1));
    await writer.close();
    return answer;
  };
  return { finish };
}

const OPTIONS = { approvals: "question" };
const PROMPT = { kind: "prompt", prompt: { id: "p1", text: "hello" }, edits: false, options: OPTIONS };

describe("ACL9: a right that ends while a request arrives", () => {
  it.each<[string, unknown]>([
    ["/chat", PROMPT],
    ["/chat/stream", { chatId: "chat", options: OPTIONS }],
  ])("ACL9: %s of somebody who is removed meanwhile is not_found", async (path, body) => {
    const [ann, bob] = [newUser("ann"), newUser("bob")];
    const id = await ann.createSession();
    await env.SESSIONS.getByName(id).share(
      { user: ann.user, expiresAt: Number.MAX_SAFE_INTEGER },
      { user: bob.user, role: "collaborator" },
    );
    const { finish } = await slowRequest(id, bob, path, body);
    expect((await ann.fetch(`/api/sessions/${id}/members/${bob.user}`, { method: "DELETE" })).status).toBe(204);
    expect(await refusal(await finish())).toBe("404 not_found true");
  });

  it("ACL2: a session that is deleted meanwhile does not exist", async () => {
    const ann = newUser("ann");
    const id = await ann.createSession();
    const { finish } = await slowRequest(id, ann, "/chat", PROMPT);
    expect((await ann.fetch(`/api/sessions/${id}`, { method: "DELETE" })).status).toBe(204);
    expect(await refusal(await finish())).toBe("404 not_found true");
  });
});

describe("ACL14: the audit log over HTTP", () => {
  it("ACL14: is read from a place on", async () => {
    const ann = newUser("ann");
    const id = await ann.createSession();
    await ann.fetch(`/api/sessions/${id}`, { method: "PATCH", body: { title: "Renamed" } });
    const audit = async (query: string) => (await ann.fetch(`/api/sessions/${id}/audit${query}`)).json();
    expect(await audit("")).toEqual({ audit: [expect.objectContaining({ action: "rename" })] });
    expect(await audit("?before=1")).toEqual({ audit: [] });
    expect(await refusal(await ann.fetch(`/api/sessions/${id}/audit?before=x`))).toBe("400 bad_request true");
  });
});

describe("LIM9: API tokens", () => {
  it("LIM9: are 100 at the most, without those that have expired", async () => {
    const ann = newUser("ann");
    const actor = env.USERS.getByName(ann.user);
    const now = Date.now();
    const add = (id: string, expiresAt: number) => actor.addToken({ id, name: id, createdAt: now, expiresAt }, id);
    await add("old", now - 1);
    for (let count = 0; count < LIMITS.apiTokens; count++) expect(await add(`t${count}`, now + 60_000)).toBe(true);
    expect(await refusal(await ann.post("/api/tokens", { name: "one more" }))).toBe("429 too_many true");
    expect((await ann.fetch("/api/tokens/t0", { method: "DELETE" })).status).toBe(204);
    expect((await ann.post("/api/tokens", { name: "one more" })).status).toBe(201);
  });
});
