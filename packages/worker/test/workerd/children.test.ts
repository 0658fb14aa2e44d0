import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { TIMES } from "@agent-ops/shared/limits";
import { afterEach, describe, expect, it, vi } from "vitest";
import { createSession } from "../../src/lib/create-session.ts";
import { unwrap } from "../../src/lib/result.ts";
import { newSessionId } from "../../src/lib/session-id.ts";
import { type Caller, newUser } from "./support/api.ts";

const MINUTE_MS = 60_000;

afterEach(() => {
  vi.useRealTimers();
});

/** A session of ann's that bob is a member of. */
async function openParent() {
  const [ann, bob] = [newUser("ann"), newUser("bob")];
  const parentId = await ann.createSession();
  await ann.fetch(`/api/sessions/${parentId}/members/${bob.user}`, { method: "PUT", body: { role: "collaborator" } });
  return { ann, bob, parentId };
}

const by = ({ user }: Caller) => ({ user, expiresAt: Number.POSITIVE_INFINITY });
const session = (id: string) => env.SESSIONS.getByName(id);
const remove = (ann: Caller, parentId: string, bob: Caller) =>
  ann.fetch(`/api/sessions/${parentId}/members/${bob.user}`, { method: "DELETE" });
const statusOf = async (caller: Caller, id: string) => (await caller.fetch(`/api/sessions/${id}`)).status;

async function childrenOf(ann: Caller, parentId: string): Promise<string[]> {
  const children = unwrap(await session(parentId).children(by(ann)));
  return children.map(({ childSessionId }) => childSessionId);
}

/** The parent as it is so much later. */
async function later(parentId: string, ms: number): Promise<void> {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + ms });
  await runDurableObjectAlarm(session(parentId));
}

describe("LIFE4: a member who is removed", () => {
  it("LIFE4: has no access to a child that is being made at that moment", async () => {
    const { ann, bob, parentId } = await openParent();
    const id = await newSessionId(env.ID_SECRET);
    const child = { childSessionId: id, title: "Child", status: "ready" };
    const family = unwrap(await session(parentId).adopt(by(ann), child));
    expect(family.map(({ user }) => user)).toContain(bob.user);
    await remove(ann, parentId, bob);
    const record = { id, agent: "demo", title: "Child", status: "ready" as const, createdAt: Date.now(), parentId };
    unwrap(await session(id).create(record, ann.user, family));
    expect([await statusOf(ann, id), await statusOf(bob, id)]).toEqual([200, 404]);
  });

  it("LIFE4: loses the children too where the session died before it told them", async () => {
    const { ann, bob, parentId } = await openParent();
    const { id } = await createSession(env, by(ann), {
      id: await newSessionId(env.ID_SECRET),
      agent: "demo",
      parentId,
    });
    expect(await statusOf(bob, id)).toBe(200);
    // What is stored when the process is killed before the children are told.
    const untold = "INSERT INTO untold (child_id, user, version, since) VALUES (?, ?, 100, 0)";
    await runInDurableObject(session(parentId), (_, { storage }) => {
      storage.sql.exec("DELETE FROM members WHERE user = ?", bob.user);
      storage.sql.exec(untold, id, bob.user);
      storage.sql.exec("INSERT OR REPLACE INTO meta (key, value) VALUES ('members-version', '100')");
      storage.sql.exec("INSERT OR REPLACE INTO deadlines (name, at) VALUES ('children', ?)", Date.now());
    });
    await later(parentId, TIMES.tellAgainMs + 1);
    await expect.poll(() => statusOf(bob, id)).toBe(404);
  });
});

describe("LIFE4: a child that is never made", () => {
  it("LIFE4: is listed no longer than a minute", async () => {
    const { ann, parentId } = await openParent();
    const id = await newSessionId(env.ID_SECRET);
    unwrap(await session(parentId).adopt(by(ann), { childSessionId: id, title: "Child", status: "ready" }));
    await later(parentId, TIMES.tellAgainMs + 1);
    expect(await childrenOf(ann, parentId)).toEqual([id]);
    await later(parentId, MINUTE_MS);
    await expect.poll(() => childrenOf(ann, parentId)).toEqual([]);
  });

  it("LIFE4: is not listed where it was refused; one that is there stays", async () => {
    const { ann, parentId } = await openParent();
    const [refused, there] = [await newSessionId(env.ID_SECRET), await newSessionId(env.ID_SECRET)];
    await createSession(env, by(ann), { id: there, agent: "demo", parentId });
    unwrap(await session(parentId).adopt(by(ann), { childSessionId: refused, title: "Child", status: "ready" }));
    for (const id of [refused, there]) await session(parentId).childFailed(id);
    expect(await childrenOf(ann, parentId)).toEqual([there]);
  });
});
