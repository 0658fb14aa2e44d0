import type { AccessScene } from "./access-scene.ts";
import type { Identity } from "./identities.ts";

/** What each of them gets. */
type Cells = Record<Identity, number>;

export type Row = {
  /** As the app declares it. */
  route: string;
  cells: Cells;
  /** What an act that is allowed does: `changes` is seen by those concerned, `nothing` is not. */
  effect: "changes" | "nothing";
  /** An upgrade to a WebSocket is asked for. */
  socket?: boolean;
  body?: (scene: AccessScene) => unknown | Promise<unknown>;
  /** Values for the path, besides the session's id. */
  params?: (scene: AccessScene) => Record<string, string>;
  query?: string;
};

/** People with a token, in the order of their rights; nobody else gets in. */
function members(owner: number, collaborator: number, viewer: number, others: { stranger: number; widget: number }) {
  const refused = { "no token": 401, garbage: 401, expired: 401, revoked: 401, "sign-in code": 401, runner: 401 };
  return { owner, collaborator, viewer, ...others, ...refused };
}

/** A member who may not is told so; to anybody else there is no such session. */
const OUT = { stranger: 404, widget: 403 };
const CHATS = { stranger: 404, widget: 200 };
const EVERY_PERSON = (status: number) => members(status, status, status, { stranger: status, widget: 403 });
const READERS = members(200, 200, 200, OUT);
const OWNERS = (status: number) => members(status, 403, 403, OUT);

function everybody(status: number): Cells {
  const people = members(status, status, status, { stranger: status, widget: status });
  const others = { "no token": status, garbage: status, expired: status, revoked: status };
  return { ...people, ...others, "sign-in code": status, runner: status };
}

/** Only a runner's token opens the runners' doors. */
function runnersOnly(status: number): Cells {
  return { ...everybody(401), runner: status };
}

const chatBody = () => ({ id: "matrix", messages: [{ role: "user", content: "/empty" }], onDisconnect: "detach" });

/** Every route of the product, and who gets what there. */
export const ROUTES: Row[] = [
  { route: "GET /*", cells: everybody(200), effect: "nothing" },
  { route: "GET /healthz", cells: everybody(200), effect: "nothing" },
  // On one machine everybody; `metrics.test.ts` has the rest.
  { route: "GET /metrics", cells: everybody(200), effect: "nothing" },
  { route: "GET /api/settings", cells: everybody(200), effect: "nothing" },
  {
    route: "POST /api/auth/exchange",
    cells: everybody(401),
    effect: "nothing",
    body: () => ({ code: "not a code" }),
  },
  { route: "GET /api/me", cells: EVERY_PERSON(200), effect: "nothing" },

  { route: "GET /api/tokens", cells: EVERY_PERSON(200), effect: "nothing" },
  { route: "GET /api/agents", cells: EVERY_PERSON(200), effect: "nothing" },
  { route: "POST /api/tokens", cells: EVERY_PERSON(201), effect: "changes", body: () => ({ name: "new" }) },
  {
    route: "DELETE /api/tokens/:tokenId",
    cells: members(204, 404, 404, { stranger: 404, widget: 403 }),
    effect: "changes",
    params: ({ tokenId }) => ({ tokenId }),
  },

  { route: "GET /api/sessions", cells: EVERY_PERSON(200), effect: "nothing" },
  { route: "POST /api/sessions", cells: EVERY_PERSON(201), effect: "changes", body: () => ({ agent: "demo" }) },
  {
    // A child of the session.
    route: "POST /api/sessions",
    cells: members(201, 201, 403, { stranger: 404, widget: 403 }),
    effect: "changes",
    body: ({ sessionId }) => ({ agent: "demo", parentId: sessionId }),
  },
  { route: "GET /api/sessions/:id", cells: READERS, effect: "nothing" },
  { route: "PATCH /api/sessions/:id", cells: OWNERS(200), effect: "changes", body: () => ({ title: "Renamed" }) },
  { route: "DELETE /api/sessions/:id", cells: OWNERS(204), effect: "changes" },
  { route: "POST /api/sessions/:id/terminate", cells: OWNERS(200), effect: "changes" },

  { route: "GET /api/sessions/:id/members", cells: READERS, effect: "nothing" },
  {
    route: "PUT /api/sessions/:id/members/:user",
    cells: OWNERS(200),
    effect: "changes",
    params: () => ({ user: "guest" }),
    body: () => ({ role: "viewer" }),
  },
  {
    // Everybody may leave.
    route: "DELETE /api/sessions/:id/members/:user",
    cells: members(204, 403, 204, OUT),
    effect: "changes",
    params: ({ callers }) => ({ user: callers.viewer.user }),
  },
  {
    route: "POST /api/sessions/:id/widget-tokens",
    cells: OWNERS(201),
    effect: "changes",
    body: () => ({ origin: "https://widget.example" }),
  },

  {
    route: "GET /api/sessions/:id/messages",
    cells: members(200, 200, 200, CHATS),
    effect: "nothing",
  },
  { route: "GET /api/sessions/:id/audit", cells: READERS, effect: "nothing" },
  { route: "GET /api/sessions/:id/channels", cells: READERS, effect: "nothing" },
  { route: "GET /api/sessions/:id/children", cells: READERS, effect: "nothing" },
  { route: "GET /api/sessions/:id/diff", cells: READERS, effect: "nothing" },
  {
    // A visitor stops only what they asked for; security-widget.test.ts has that.
    route: "POST /api/sessions/:id/abort",
    cells: members(202, 202, 403, OUT),
    effect: "changes",
    body: () => ({}),
  },
  {
    route: "POST /api/sessions/:id/questions/:questionId",
    cells: members(200, 200, 403, OUT),
    effect: "changes",
    params: ({ questionId }) => ({ questionId }),
    body: () => ({ approved: true }),
  },
  {
    route: "POST /api/sessions/:id/ticket",
    cells: members(201, 201, 201, { stranger: 404, widget: 201 }),
    effect: "nothing",
  },
  { route: "GET /api/sessions/:id/ws", cells: members(101, 101, 101, OUT), effect: "nothing", socket: true },
  {
    route: "GET /api/sessions/:id/chat",
    cells: members(101, 101, 101, { stranger: 404, widget: 101 }),
    effect: "nothing",
    socket: true,
  },
  {
    // Without an upgrade, which says nothing about any session.
    route: "GET /api/sessions/:id/chat",
    cells: members(400, 400, 400, { stranger: 400, widget: 400 }),
    effect: "nothing",
  },
  {
    // To a viewer the chat does not exist.
    route: "POST /api/sessions/:id/chat",
    cells: members(200, 200, 404, CHATS),
    effect: "changes",
    body: chatBody,
  },
  {
    route: "GET /api/sessions/:id/chat/:chatId/stream",
    cells: members(200, 200, 200, CHATS),
    effect: "nothing",
    params: () => ({ chatId: "matrix" }),
  },
  { route: "POST /api/chat", cells: EVERY_PERSON(200), effect: "changes", body: chatBody },
  {
    route: "GET /api/chat/:chatId/stream",
    cells: EVERY_PERSON(204),
    effect: "nothing",
    params: () => ({ chatId: "none" }),
  },

  {
    route: "GET /api/runner/host",
    cells: runnersOnly(101),
    effect: "nothing",
    socket: true,
    query: "?name=matrix",
  },
  {
    route: "POST /api/runner/sessions/:id/children",
    cells: runnersOnly(409),
    effect: "nothing",
    body: () => ({ prompt: "Go on" }),
  },
  // A host that the session was not given to.
  {
    route: "GET /api/runner/sessions/:id",
    cells: runnersOnly(409),
    effect: "nothing",
    socket: true,
    query: "?epoch=1",
  },
];
