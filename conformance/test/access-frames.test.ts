import { chatFrame, clientCommand } from "@agent-ops/shared/frames";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { AccessScene } from "../src/access/access-scene.ts";
import { CHAT_FRAMES, type FrameRow, SOCKET_FRAMES } from "../src/access/frame-table.ts";
import { IDENTITIES, type Identity } from "../src/access/identities.ts";
import { knock, pathOf } from "../src/access/knock.ts";
import { ROUTES } from "../src/access/route-table.ts";
import { Api } from "../src/api.ts";
import { FrameSocket } from "../src/frame-socket.ts";
import { ObedientHost } from "../src/obedient-host.ts";

const product = inject("product");
const anyone = new Api(product.url, "");

let host: ObedientHost;
let shared: AccessScene;

beforeAll(async () => {
  host = await ObedientHost.join(product);
  shared = await AccessScene.open(product, host);
});
afterAll(() => host.leave());

type Door = "ws" | "chat";
type Attempt = { scene: AccessScene; identity: Identity; row: FrameRow };

function doorRow(door: Door) {
  const row = ROUTES.find(({ route, socket }) => socket && route === `GET /api/sessions/:id/${door}`);
  if (!row) throw new Error("No such door.");
  return row;
}

function isDoer(identity: Identity): identity is keyof FrameRow["cells"] {
  return ["owner", "collaborator", "viewer", "widget"].includes(identity);
}

function openSocket(door: Door, { scene, identity }: Attempt): Promise<FrameSocket> {
  return FrameSocket.open(anyone, `/api/sessions/${scene.sessionId}/${door}`, scene.callers[identity].headers);
}

/** What the V2 socket says to a frame, up to the answer to a ping behind it. */
async function sendToSocket(attempt: Attempt): Promise<string[]> {
  const socket = await openSocket("ws", attempt);
  const frame = { type: attempt.row.frame, ...attempt.row.fields(attempt.scene) };
  const said = await socket.ask(JSON.stringify([frame, { type: "ping" }]), (text) => text.includes('"pong"'));
  socket.socket.close();
  return said.filter((text) => text.includes('"type":"error"')).map((text) => /"code":"(\w+)"/.exec(text)?.[1] ?? "");
}

/** What the chat's socket says to a frame. An abort that is followed is told to the agent alone. */
async function sendToChat(attempt: Attempt): Promise<string[]> {
  const { row, scene, identity } = attempt;
  const socket = await openSocket("chat", attempt);
  const frame = JSON.stringify({ type: row.frame, ...row.fields(scene) });
  if (row.frame === "abort") await socket.ask(RESUME, (text) => text.includes('"type":"start","requestId"'));
  const followed = row.frame === "abort" && isDoer(identity) && row.cells[identity] === "done";
  if (followed) socket.socket.send(frame);
  const said = followed ? [] : await socket.ask(frame, row.frame === "abort" ? isError : isAnswer);
  socket.socket.close();
  return said.filter(isError).map((text) => (/needs the role|A visitor can/.test(text) ? "forbidden" : text));
}

const RESUME = JSON.stringify({ type: "resume", requestId: "r", id: "matrix", headers: {}, body: {} });
const isError = (text: string) => text.startsWith('{"type":"error"');
const isAnswer = (text: string) => isError(text) || text.startsWith('{"type":"start"');

async function expectCell(door: Door, row: FrameRow, identity: Identity): Promise<void> {
  const outer = doorRow(door);
  if (!isDoer(identity) || outer.cells[identity] !== 101) {
    const caller = shared.callers[identity];
    const { status } = await knock(product.url + pathOf(outer, shared), caller, { method: "GET", socket: true });
    return expect({ identity, status }).toEqual({ identity, status: outer.cells[identity] });
  }
  const outcome = row.cells[identity];
  const scene = outcome === "done" ? await AccessScene.open(product, host) : shared;
  const before = await scene.fingerprint(identity);
  const said = await (door === "ws" ? sendToSocket : sendToChat)({ scene, identity, row });
  expect({ identity, said }).toEqual({ identity, said: outcome === "forbidden" ? ["forbidden"] : [] });
  if (outcome === "done") await expect.poll(() => scene.fingerprint(identity), { message: identity }).not.toBe(before);
  else expect(await scene.fingerprint(identity), identity).toBe(before);
}

describe.each([
  ["ws", SOCKET_FRAMES, clientCommand],
  ["chat", CHAT_FRAMES, chatFrame],
] as const)("frames to /%s", (door, rows, schema) => {
  it("ACL6: every frame has its row", () => {
    const known = schema.options.map((option) => option.shape.type.value);
    expect([...new Set(rows.map(({ frame }) => frame))].toSorted()).toEqual(known.toSorted());
  });

  it.each(rows.map((row, index) => [`${index + 1} ${row.frame}`, row] as const))(
    "ACL2 ACL5 ACL6 ACL11: %s",
    async (_title, row) => {
      for (const identity of IDENTITIES) await expectCell(door, row, identity);
    },
  );
});
