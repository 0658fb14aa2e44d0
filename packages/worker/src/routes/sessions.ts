import { agentOptions } from "@agent-ops/shared/agent-options";
import { AppError } from "@agent-ops/shared/errors";
import { LIMITS } from "@agent-ops/shared/limits";
import { role } from "@agent-ops/shared/sessions";
import { z } from "zod";
import type { Access } from "../lib/access.ts";
import { actorRequest } from "../lib/actor-request.ts";
import { authenticate } from "../lib/authenticate.ts";
import { createSession } from "../lib/create-session.ts";
import { requireIsolation } from "../lib/isolation.ts";
import { AGENT, isPersonsName, VISITOR } from "../lib/names.ts";
import { unwrap } from "../lib/result.ts";
import { newSessionId } from "../lib/session-id.ts";
import { requireScope } from "../lib/widget-scope.ts";
import { type App, pathParam, type RouteContext, route } from "./methods.ts";
import { readJson } from "./read-json.ts";
import { requireUpgrade, sessionStub } from "./session-stub.ts";

const title = z.string().trim().min(1).max(LIMITS.titleChars);
const createBody = z.object({
  agent: z
    .string()
    .regex(/^[a-z0-9-]{1,64}$/, "An agent's name has lower-case letters, digits and dashes.")
    .optional(),
  title: title.optional(),
  /** What its folder is made from: a repository's address, or a path that the host allows; without one it is empty. */
  workspace: z.string().min(1).max(LIMITS.workspaceChars).optional(),
  ...agentOptions.shape,
  /** OPT4 */
  apiKey: z.never("A session keeps no key. Send it with each prompt.").optional(),
  parentId: z.string().min(1).max(128).optional(),
  orchestrator: z.boolean().optional(),
});
const patchBody = z.object({ title: title.optional(), onDisconnect: z.enum(["abort", "detach"]).optional() });
const memberBody = z.object({ role });
const abortBody = z.object({ turnId: z.string().optional() });
const page = z.object({
  limit: z.coerce.number().int().min(1).max(200).default(100),
  before: z.coerce.number().int().positive().optional(),
  format: z.enum(["v2"]).optional(),
});
const auditQuery = page.pick({ before: true });

async function create(context: RouteContext): Promise<Response> {
  const { apiKey: _, ...body } = await readJson(context.req.raw, createBody);
  const { env } = context;
  const id = await newSessionId(env.ID_SECRET);
  return context.json(await createSession(env, context.var.access, { id, ...body }), 201);
}

async function list(context: RouteContext): Promise<Response> {
  const sessions = await context.env.USERS.getByName(context.var.user).list();
  return context.json({ sessions });
}

async function read(context: RouteContext): Promise<Response> {
  const stub = await sessionStub(context);
  return context.json(unwrap(await stub.view(context.var.access)));
}

async function patch(context: RouteContext): Promise<Response> {
  const stub = await sessionStub(context);
  const body = await readJson(context.req.raw, patchBody);
  return context.json(unwrap(await stub.change(context.var.access, body)));
}

/** ACL7 */
async function share(context: RouteContext): Promise<Response> {
  const stub = await sessionStub(context);
  const body = await readJson(context.req.raw, memberBody);
  const member = { user: memberName(context), role: body.role };
  unwrap(await stub.view(context.var.access));
  await requireIsolation(context.env, pathParam(context, "id"));
  return context.json(unwrap(await stub.share(context.var.access, member)));
}

/** LIM7 */
function memberName(context: RouteContext): string {
  const name = pathParam(context, "user");
  if (isPersonsName(name)) return name;
  const rule = `at most ${LIMITS.nameChars} characters, and does not begin with "${VISITOR}" or "${AGENT}"`;
  throw new AppError("bad_request", `A person's name has ${rule}.`);
}

async function members(context: RouteContext): Promise<Response> {
  const stub = await sessionStub(context);
  return context.json({ members: unwrap(await stub.members(context.var.access)) });
}

async function unshare(context: RouteContext): Promise<Response> {
  const stub = await sessionStub(context);
  const member = pathParam(context, "user");
  unwrap(await stub.unshare(context.var.access, member));
  return context.body(null, 204);
}

async function remove(context: RouteContext): Promise<Response> {
  const stub = await sessionStub(context);
  unwrap(await stub.remove(context.var.access));
  return context.body(null, 204);
}

/** LIFE2 */
async function terminate(context: RouteContext): Promise<Response> {
  const stub = await sessionStub(context);
  return context.json(unwrap(await stub.terminate(context.var.access)));
}

async function audit(context: RouteContext): Promise<Response> {
  const stub = await sessionStub(context);
  const query = auditQuery.safeParse(context.req.query());
  if (!query.success) throw new AppError("bad_request", z.prettifyError(query.error));
  return context.json(unwrap(await stub.audit(context.var.access, query.data.before)));
}

async function channels(context: RouteContext): Promise<Response> {
  const stub = await sessionStub(context);
  return context.json({ channels: unwrap(await stub.channels(context.var.access)) });
}

async function messages(context: RouteContext): Promise<Response> {
  const stub = await sessionStub(context);
  const query = page.safeParse(context.req.query());
  if (!query.success) throw new AppError("bad_request", z.prettifyError(query.error));
  const { format, ...wanted } = query.data;
  if (format === "v2") return context.json(unwrap(await stub.v2Messages(context.var.access, wanted)));
  return context.json(unwrap(await stub.messages(context.var.access, wanted)));
}

/** LIFE4 */
async function children(context: RouteContext): Promise<Response> {
  const stub = await sessionStub(context);
  return context.json({ children: unwrap(await stub.children(context.var.access)) });
}

/** RUN9 */
async function diff(context: RouteContext): Promise<Response> {
  const stub = await sessionStub(context);
  return context.json({ files: unwrap(await stub.diff(context.var.access)) });
}

async function abort(context: RouteContext): Promise<Response> {
  const stub = await sessionStub(context);
  const body = await readJson(context.req.raw, abortBody);
  unwrap(await stub.abort(context.var.access, body.turnId));
  return context.json({ aborting: true }, 202);
}

async function answer(context: RouteContext): Promise<Response> {
  const stub = await sessionStub(context);
  const body = await readJson(context.req.raw, z.unknown());
  return context.json({
    answer: unwrap(await stub.answer(context.var.access, pathParam(context, "questionId"), body)),
  });
}

async function ticket(context: RouteContext): Promise<Response> {
  const stub = await sessionStub(context);
  return context.json(
    { ticket: unwrap(await stub.ticket(context.var.access, context.req.header("origin") ?? null)) },
    201,
  );
}

/** ACL4: a token in the header, or a ticket, which the session itself redeems. */
async function socket(context: RouteContext, path: "/ws" | "/chat/ws"): Promise<Response> {
  const by = await socketAccess(context);
  const stub = await sessionStub(context);
  requireUpgrade(context);
  const origin = context.req.header("origin");
  const headers = { upgrade: "websocket", ...(origin ? { origin } : {}) };
  return stub.fetch(actorRequest(`${path}${new URL(context.req.url).search}`, by, { headers }));
}

async function socketAccess(context: RouteContext): Promise<Access | undefined> {
  const header = context.req.header("authorization");
  if (header === undefined && context.req.query("ticket")) return undefined;
  const by = await authenticate(context.env, context.req.raw);
  requireScope(by, context.req.raw);
  return by;
}

/** Reachable with a ticket instead of a token. */
export function socketRoutes(app: App): void {
  route(app, "/api/sessions/:id/ws", { GET: (context) => socket(context, "/ws") });
  app.get("/api/sessions/:id/chat", (context, next) =>
    context.req.header("upgrade") ? socket(context, "/chat/ws") : next(),
  );
}

export function sessionRoutes(app: App): void {
  route(app, "/api/me", { GET: (context) => context.json({ user: context.var.user }) });
  route(app, "/api/sessions", { GET: list, POST: create });
  route(app, "/api/sessions/:id", { GET: read, PATCH: patch, DELETE: remove });
  route(app, "/api/sessions/:id/members", { GET: members });
  route(app, "/api/sessions/:id/members/:user", { PUT: share, DELETE: unshare });
  route(app, "/api/sessions/:id/messages", { GET: messages });
  route(app, "/api/sessions/:id/terminate", { POST: terminate });
  route(app, "/api/sessions/:id/audit", { GET: audit });
  route(app, "/api/sessions/:id/channels", { GET: channels });
  route(app, "/api/sessions/:id/children", { GET: children });
  route(app, "/api/sessions/:id/diff", { GET: diff });
  route(app, "/api/sessions/:id/abort", { POST: abort });
  route(app, "/api/sessions/:id/questions/:questionId", { POST: answer });
  route(app, "/api/sessions/:id/ticket", { POST: ticket });
}
