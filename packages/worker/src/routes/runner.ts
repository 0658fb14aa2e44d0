import { AppError } from "@agent-ops/shared/errors";
import { LIMITS } from "@agent-ops/shared/limits";
import { z } from "zod";
import { actorRequest } from "../lib/actor-request.ts";
import { AUDIENCE, bearerToken, verifyToken } from "../lib/auth.ts";
import { createSession } from "../lib/create-session.ts";
import { hostName } from "../lib/names.ts";
import { unwrap } from "../lib/result.ts";
import { newSessionId } from "../lib/session-id.ts";
import { type App, pathParam, type RouteContext, route } from "./methods.ts";
import { readJson } from "./read-json.ts";
import { requireUpgrade, sessionStub } from "./session-stub.ts";

/** ACL5: only a runner's token opens these doors. It names the host; hosts that share one tell themselves apart. */
async function authenticate(context: RouteContext): Promise<string> {
  const token = bearerToken(context.req.header("authorization"));
  const { user } = await verifyToken(context.env.AUTH_SECRET, token, AUDIENCE.runner);
  return hostName(user, context.req.query("name"));
}

/** How long an act on somebody's behalf may take. */
const ACT_MS = 60_000;
const UPGRADE = { headers: { upgrade: "websocket" } };

async function host(context: RouteContext): Promise<Response> {
  const name = await authenticate(context);
  requireUpgrade(context);
  const pool = context.env.POOL.getByName("pool");
  return pool.fetch(actorRequest(`/?host=${encodeURIComponent(name)}`, undefined, UPGRADE));
}

/** POOL5: a session's door opens for the host it was given to. */
async function heldSession(context: RouteContext): ReturnType<typeof sessionStub> {
  const name = await authenticate(context);
  const stub = await sessionStub(context);
  const holder = await context.env.POOL.getByName("pool").holder(pathParam(context, "id"));
  if (holder === undefined) throw new AppError("not_found", "There is no such session to run.");
  if (holder !== name) throw new AppError("conflict", "The session was given to another host.");
  return stub;
}

async function session(context: RouteContext): Promise<Response> {
  requireUpgrade(context);
  const stub = await heldSession(context);
  const epoch = Number(context.req.query("epoch"));
  return stub.fetch(actorRequest(`/runner?epoch=${epoch}`, undefined, UPGRADE));
}

const childBody = z.object({
  prompt: z.string().trim().min(1).max(LIMITS.promptChars),
  title: z.string().trim().min(1).max(LIMITS.titleChars).optional(),
});

/** TOOL3: an agent has a session made beside its own. */
async function spawn(context: RouteContext): Promise<Response> {
  const stub = await heldSession(context);
  const { prompt, title } = await readJson(context.req.raw, childBody);
  const asker = unwrap(await stub.asker());
  const by = { user: asker.user, expiresAt: Date.now() + ACT_MS };
  const { env } = context;
  const id = await newSessionId(env.ID_SECRET);
  const wanted = { id, agent: asker.agent, title, parentId: pathParam(context, "id") };
  const view = await createSession(env, by, wanted);
  unwrap(await env.SESSIONS.getByName(id).prompt(by, { id: crypto.randomUUID(), text: prompt }));
  return context.json(view, 201);
}

export function runnerRoutes(app: App): void {
  route(app, "/api/runner/host", { GET: host });
  route(app, "/api/runner/sessions/:id", { GET: session });
  route(app, "/api/runner/sessions/:id/children", { POST: spawn });
}
