import { randomUUID } from "node:crypto";
import { type InitEvent, initEvent } from "@agent-ops/shared/events";
import { afterAll, describe, expect, inject, it } from "vitest";
import { Api } from "../src/api.ts";
import { FrameSocket } from "../src/frame-socket.ts";
import { expectRefusal } from "../src/refusals.ts";
import { Scene } from "../src/scene.ts";

const product = inject("product");
const sockets: FrameSocket[] = [];
afterAll(() => {
  for (const { socket } of sockets) socket.close();
});

function newUser(name: string): Promise<Api> {
  return Api.of(product, `${name}-${randomUUID()}`);
}

async function userOf(api: Api): Promise<string> {
  return (await (await api.request("GET", "/api/me")).json()).user;
}

async function create(api: Api, body: object): Promise<{ id: string; title: string; parentId?: string }> {
  const response = await api.request("POST", "/api/sessions", { agent: "demo", ...body });
  expect(response.status).toBe(201);
  return response.json();
}

async function openSocket(api: Api, sessionId: string): Promise<FrameSocket> {
  const socket = await FrameSocket.open(api, `/api/sessions/${sessionId}/ws`);
  sockets.push(socket);
  return socket;
}

async function initOf(api: Api, sessionId: string): Promise<InitEvent> {
  const [frame = "[]"] = await (await openSocket(api, sessionId)).until((text) => text.includes('"init"'));
  return initEvent.parse(JSON.parse(frame)[0]);
}

async function statusOf(api: Api, sessionId: string): Promise<number> {
  return (await api.request("GET", `/api/sessions/${sessionId}`)).status;
}

async function list(api: Api, path: string): Promise<Record<string, unknown>[]> {
  const body: Record<string, Record<string, unknown>[]> = await (await api.request("GET", path)).json();
  return Object.values(body)[0] ?? [];
}

describe("LIFE4: child sessions", () => {
  it("LIFE4: a child is listed by its parent, and the parent's members, present and future, can see it", async () => {
    const [ann, bob, cleo] = await Promise.all([newUser("ann"), newUser("bob"), newUser("cleo")]);
    const [bobs, cleos] = await Promise.all([userOf(bob), userOf(cleo)]);
    const parent = await create(ann, { title: "Parent" });
    await ann.share(parent.id, bobs, "collaborator");
    const child = await create(bob, { title: "Child", parentId: parent.id });
    expect(child.parentId).toBe(parent.id);
    const listed = { childSessionId: child.id, title: "Child", status: "ready", openable: true };
    expect(await list(ann, `/api/sessions/${parent.id}/children`)).toEqual([listed]);
    expect((await initOf(ann, parent.id)).children).toEqual([listed]);
    await expect.poll(async () => (await list(ann, "/api/sessions")).map(({ id }) => id)).toContain(child.id);

    expect(await statusOf(cleo, child.id)).toBe(404);
    await ann.share(parent.id, cleos, "viewer");
    expect([await statusOf(cleo, child.id), await statusOf(cleo, parent.id)]).toEqual([200, 200]);
    await expectRefusal(await cleo.chat(child.id, "Let me"), 404, "not_found");
    const socket = await openSocket(cleo, child.id);
    await socket.ask('{"type":"ping"}', (frame) => frame.includes('"pong"'));
    await ann.request("DELETE", `/api/sessions/${parent.id}/members/${cleos}`);
    expect(await socket.closed).toBe(4404);
    expect([await statusOf(cleo, child.id), await statusOf(bob, child.id)]).toEqual([404, 200]);
    expect(await list(cleo, "/api/sessions")).toEqual([]);
  });

  it("LIFE4: the parent is told what becomes of it; it outlives the parent", async () => {
    const scene = await Scene.open(product);
    const { api, sessionId: parentId } = scene;
    const child = await create(api, { parentId });
    const told = () => scene.logged("child-session").map(({ title, status }) => [title, status]);
    const turn = await api.chat(child.id, "/ask");
    await expect.poll(() => told().at(-1)).toEqual(["New session", "running"]);
    await api.request("POST", `/api/sessions/${child.id}/abort`, {});
    await turn.text();
    await api.request("PATCH", `/api/sessions/${child.id}`, { title: "Renamed" });
    await expect.poll(() => told().at(-1)).toEqual(["Renamed", "ready"]);
    const other = await create(api, { parentId });
    await api.request("DELETE", `/api/sessions/${child.id}`);
    await expect.poll(() => told().at(-1)?.[1]).toBe("deleted");
    expect((await list(api, `/api/sessions/${parentId}/children`)).map((entry) => entry.childSessionId)).toEqual([
      other.id,
    ]);
    scene.reader.close();
    await api.request("DELETE", `/api/sessions/${parentId}`);
    const view = async () => (await api.request("GET", `/api/sessions/${other.id}`)).json();
    await expect.poll(async () => (await view()).parentId).toBeUndefined();
  });

  it("LIFE4, ACL6: only who may prompt makes a child, and of nothing that is not there", async () => {
    const [ann, vera, strange] = await Promise.all([newUser("ann"), newUser("vera"), newUser("strange")]);
    const { id: parentId } = await create(ann, {});
    await ann.share(parentId, await userOf(vera), "viewer");
    const attempt = (api: Api, id: string) => api.request("POST", "/api/sessions", { agent: "demo", parentId: id });
    await expectRefusal(await attempt(vera, parentId), 403, "forbidden");
    await expectRefusal(await attempt(strange, parentId), 404, "not_found");
    await expectRefusal(await attempt(ann, `${parentId}x`), 404, "not_found");
    expect(await list(ann, `/api/sessions/${parentId}/children`)).toEqual([]);
    expect(await list(strange, "/api/sessions")).toEqual([]);
  });
});

describe.concurrent("LIFE3: orchestrator sessions", () => {
  it("LIFE3: are their owner's alone: sharing is refused and says why; their children can be shared", async () => {
    const [ann, bob] = await Promise.all([newUser("ann"), newUser("bob")]);
    const bobs = await userOf(bob);
    const { id, ...view } = await create(ann, { orchestrator: true });
    expect(view).toMatchObject({ orchestrator: true });
    const refused = await ann.request("PUT", `/api/sessions/${id}/members/${bobs}`, { role: "viewer" });
    expect([refused.status, (await refused.json()).message]).toEqual([403, expect.stringContaining("orchestrator")]);
    const child = await create(ann, { parentId: id });
    await ann.share(child.id, bobs, "viewer");
    expect([await statusOf(bob, id), await statusOf(bob, child.id)]).toEqual([404, 200]);
  });

  it("LIFE3: are nobody's children, since a parent's members would see them", async () => {
    const ann = await newUser("ann");
    const { id: parentId } = await create(ann, {});
    const body = { agent: "demo", parentId, orchestrator: true };
    await expectRefusal(await ann.request("POST", "/api/sessions", body), 400, "bad_request");
    expect(await list(ann, `/api/sessions/${parentId}/children`)).toEqual([]);
  });
});
