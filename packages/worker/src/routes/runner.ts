import { AppError } from "@agent-ops/shared/errors";
import { actorRequest } from "../lib/actor-request.ts";
import { AUDIENCE, bearerToken, verifyToken } from "../lib/auth.ts";
import { type App, pathParam, type RouteContext, route } from "./methods.ts";
import { requireUpgrade, sessionStub } from "./session-stub.ts";

/** ACL5: only a runner's token opens these doors. It names the host; hosts that share one tell themselves apart. */
async function authenticate(context: RouteContext): Promise<string> {
  const token = bearerToken(context.req.header("authorization"));
  const { user } = await verifyToken(context.env.AUTH_SECRET, token, AUDIENCE.runner);
  requireUpgrade(context);
  const name = context.req.query("name");
  return name ? `${user}/${name}` : user;
}

const UPGRADE = { headers: { upgrade: "websocket" } };

async function host(context: RouteContext): Promise<Response> {
  const name = await authenticate(context);
  const pool = context.env.POOL.getByName("pool");
  return pool.fetch(actorRequest(`/?host=${encodeURIComponent(name)}`, undefined, UPGRADE));
}

/** POOL5: a session's door opens for the host it was given to. */
async function session(context: RouteContext): Promise<Response> {
  const name = await authenticate(context);
  const stub = await sessionStub(context);
  const holder = await context.env.POOL.getByName("pool").holder(pathParam(context, "id"));
  if (holder === undefined) throw new AppError("not_found", "There is no such session to run.");
  if (holder !== name) throw new AppError("conflict", "The session was given to another host.");
  const epoch = Number(context.req.query("epoch"));
  return stub.fetch(actorRequest(`/runner?epoch=${epoch}`, undefined, UPGRADE));
}

export function runnerRoutes(app: App): void {
  route(app, "/api/runner/host", { GET: host });
  route(app, "/api/runner/sessions/:id", { GET: session });
}
