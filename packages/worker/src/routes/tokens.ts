import { AppError } from "@agent-ops/shared/errors";
import { LIMITS } from "@agent-ops/shared/limits";
import { z } from "zod";
import { makeApiToken } from "../lib/api-token.ts";
import { type App, pathParam, type RouteContext, route } from "./methods.ts";
import { readJson } from "./read-json.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
const createBody = z.object({
  name: z.string().trim().min(1).max(100),
  days: z.number().int().min(1).max(3650).default(365),
});

/** ACL8: the token itself is told once. */
async function create(context: RouteContext): Promise<Response> {
  const { name, days } = await readJson(context.req.raw, createBody);
  const { user } = context.var;
  const { id, hash, token } = await makeApiToken(context.env.AUTH_SECRET, user);
  const createdAt = Date.now();
  const entry = { id, name, createdAt, expiresAt: createdAt + days * DAY_MS };
  if (!(await context.env.USERS.getByName(user).addToken(entry, hash))) {
    throw new AppError("too_many", `You have ${LIMITS.apiTokens} API tokens already. Revoke one first.`);
  }
  return context.json({ ...entry, token }, 201);
}

async function list(context: RouteContext): Promise<Response> {
  return context.json({ tokens: await context.env.USERS.getByName(context.var.user).tokens() });
}

/** ACL9: what the token had opened is closed at once, in every session of its owner. */
async function revoke(context: RouteContext): Promise<Response> {
  const {
    env,
    var: { user },
  } = context;
  const id = pathParam(context, "tokenId");
  const actor = env.USERS.getByName(user);
  if (!(await actor.revokeToken(id))) throw new AppError("not_found", "There is no such token.");
  const sessions = await actor.list();
  await Promise.all(sessions.map((session) => env.SESSIONS.getByName(session.id).dismiss(id)));
  return context.body(null, 204);
}

export function tokenRoutes(app: App): void {
  route(app, "/api/tokens", { GET: list, POST: create });
  route(app, "/api/tokens/:tokenId", { DELETE: revoke });
}
