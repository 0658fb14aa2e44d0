import { listDurableObjectIds } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { FIXED_TIMES } from "@agent-ops/shared/limits";
import { afterEach, describe, expect, it, vi } from "vitest";
import { AUDIENCE } from "../../src/lib/auth.ts";
import { newSessionId } from "../../src/lib/session-id.ts";
import { Caller, newUser, ORIGIN, refusal } from "./support/api.ts";
import { bearer, FakeHost, openReader, openSocket, upgrade } from "./support/sockets.ts";

async function actors(): Promise<string[]> {
  const ids = await listDurableObjectIds(env.SESSIONS);
  return ids.map((id) => id.toString()).toSorted();
}

describe("ACL2: ids that this server never made", () => {
  it("ACL2: are refused on every route without waking an actor", async () => {
    const ann = newUser("ann");
    const real = await ann.createSession();
    const before = await actors();
    const runner = await bearer("host-1", AUDIENCE.runner);
    const unknown = [
      "nothing",
      "ses_",
      `ses_${"0".repeat(30)}`,
      await newSessionId("another secret"),
      real.toUpperCase(),
    ];
    for (const id of unknown) {
      const answers = [
        ann.fetch(`/api/sessions/${id}`),
        ann.fetch(`/api/sessions/${id}`, { method: "PATCH", body: { title: "x" } }),
        ann.fetch(`/api/sessions/${id}/messages`),
        ann.post(`/api/sessions/${id}/abort`),
        ann.post(`/api/sessions/${id}/ticket`),
        ann.post(`/api/sessions/${id}/questions/q`, { approved: true }),
        ann.chat(id, "hello"),
        ann.fetch(`/api/sessions/${id}/chat/c/stream`),
        upgrade(`/api/sessions/${id}/ws`, await bearer(ann.user)),
        upgrade(`/api/sessions/${id}/ws?ticket=x`),
        upgrade(`/api/runner/sessions/${id}?epoch=1`, runner),
      ];
      for (const answer of answers) expect(await refusal(await answer)).toBe("404 not_found true");
    }
    expect(await actors()).toEqual(before);
  });

  it("ACL2: asking without a token wakes no actor either, whatever the id", async () => {
    const before = await actors();
    const id = await newSessionId(env.ID_SECRET);
    const answers = [upgrade(`/api/sessions/${id}/ws`), upgrade(`/api/runner/sessions/${id}?epoch=0`)];
    for (const answer of answers) expect(await refusal(await answer)).toBe("401 unauthorized true");
    expect(await actors()).toEqual(before);
  });
});

describe("ACL5: a runner's token", () => {
  it("ACL5: opens none of the people's doors", async () => {
    const ann = newUser("ann");
    const id = await ann.createSession();
    const host = new Caller(ann.user, AUDIENCE.runner);
    const answers = [
      host.fetch("/api/me"),
      host.fetch("/api/sessions"),
      host.post("/api/sessions", { agent: "demo" }),
      host.fetch(`/api/sessions/${id}`),
      host.fetch(`/api/sessions/${id}/messages`),
      host.post(`/api/sessions/${id}/ticket`),
      host.chat(id, "hello"),
      upgrade(`/api/sessions/${id}/ws`, await bearer(ann.user, AUDIENCE.runner)),
    ];
    for (const answer of answers) expect(await refusal(await answer)).toBe("401 unauthorized true");
  });

  it("ACL5: and no other token opens the runners' doors", async () => {
    const ann = newUser("ann");
    const id = await ann.createSession();
    for (const audience of [AUDIENCE.api, AUDIENCE.signIn]) {
      const headers = await bearer(ann.user, audience);
      for (const path of ["/api/runner/host", `/api/runner/sessions/${id}?epoch=0`]) {
        expect(await refusal(await upgrade(path, headers))).toBe("401 unauthorized true");
      }
    }
  });

  it("RUN5: the door of a session is shut for any epoch that is not its lease", async () => {
    const ann = newUser("ann");
    const id = await ann.createSession();
    const host = await FakeHost.join();
    await ann.chat(id, "hello");
    await host.runner(id);
    const stale = await host.connect(id, 7);
    expect((await stale.socket.next("refused")).type).toBe("refused");
    expect(await stale.socket.untilClosed()).toBe(4409);
    host.leave();
  });
});

describe("ACL3: a sign-in code", () => {
  it("ACL3: becomes a token once", async () => {
    const ann = newUser("ann");
    const [, code] = (await bearer(ann.user, AUDIENCE.signIn)).authorization?.split(" ") ?? [];
    const first = await ann.post("/api/auth/exchange", { code });
    expect(await first.json()).toMatchObject({ user: ann.user, token: expect.any(String) });
    expect(await refusal(await ann.post("/api/auth/exchange", { code }))).toBe("401 unauthorized true");
  });

  it("ACL3: is no API token, and an API token is no code", async () => {
    const ann = newUser("ann");
    const [, token] = (await bearer(ann.user)).authorization?.split(" ") ?? [];
    expect(await refusal(await ann.post("/api/auth/exchange", { code: token }))).toBe("401 unauthorized true");
    expect(await refusal(await new Caller(ann.user, AUDIENCE.signIn).fetch("/api/me"))).toBe("401 unauthorized true");
  });
});

describe("ACL4: a ticket", () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  async function scene() {
    const ann = newUser("ann");
    const id = await ann.createSession();
    const answer = await ann.post(`/api/sessions/${id}/ticket`, {}, { origin: ORIGIN });
    expect(answer.status).toBe(201);
    const { ticket } = await answer.json<{ ticket: string }>();
    return { ann, id, ticket, path: `/api/sessions/${id}/ws?ticket=${ticket}` };
  }

  it("ACL4: opens one socket, as its user", async () => {
    const { ann, path } = await scene();
    const reader = await openSocket(path, { origin: ORIGIN });
    const init = await reader.next("init");
    expect(init.people).toEqual([{ userId: ann.user, connections: 1 }]);
    expect(await refusal(await upgrade(path, { origin: ORIGIN }))).toBe("401 unauthorized true");
    reader.close();
  });

  it("ACL4: is no good from another origin or from none", async () => {
    const { path } = await scene();
    expect(await refusal(await upgrade(path, { origin: "https://evil.example" }))).toBe("401 unauthorized true");
    expect(await refusal(await upgrade(path))).toBe("401 unauthorized true");
  });

  it("ACL4: is no good for another session, or on another route", async () => {
    const { ann, ticket } = await scene();
    const other = await ann.createSession();
    const path = `/api/sessions/${other}/ws?ticket=${ticket}`;
    expect(await refusal(await upgrade(path, { origin: ORIGIN }))).toBe("401 unauthorized true");
    expect(await refusal(await upgrade(`/api/sessions/${other}?ticket=${ticket}`))).toBe("401 unauthorized true");
  });

  it("ACL4: is good for 30 s", async () => {
    const { path } = await scene();
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + FIXED_TIMES.ticketMs });
    expect(await refusal(await upgrade(path, { origin: ORIGIN }))).toBe("401 unauthorized true");
  });

  it("ACL4: a request for a socket that is none, or with a cursor that is none, leaves nobody in the room", async () => {
    const { ann, id } = await scene();
    expect(await refusal(await ann.fetch(`/api/sessions/${id}/ws`))).toBe("400 bad_request true");
    for (const query of ["?since=x", "?since=-1", "?since=1.5", "?since=1&generation=x"]) {
      const answer = await upgrade(`/api/sessions/${id}/ws${query}`, await bearer(ann.user));
      expect(await refusal(answer)).toBe("400 bad_request true");
    }
    const reader = await openReader(id, ann.user);
    expect((await reader.next("init")).people).toEqual([{ userId: ann.user, connections: 1 }]);
    reader.close();
  });
});
