import { actorRequest } from "../lib/actor-request.ts";
import { AUDIENCE, bearerToken, verifyToken } from "../lib/auth.ts";
import { type App, type RouteContext, route } from "./methods.ts";
import { requireUpgrade, sessionStub } from "./session-stub.ts";

/** ACL5: only a runner's token opens these doors; it names the host. */
async function authenticate(context: RouteContext): Promise<string> {
  const token = bearerToken(context.req.header("authorization"));
  const { user } = await verifyToken(context.env.AUTH_SECRET, token, AUDIENCE.runner);
  requireUpgrade(context);
  return user;
}

const UPGRADE = { headers: { upgrade: "websocket" } };

async function host(context: RouteContext): Promise<Response> {
  const name = await authenticate(context);
  const pool = context.env.POOL.getByName("pool");
  return pool.fetch(actorRequest(`/?host=${encodeURIComponent(name)}`, undefined, UPGRADE));
}

async function session(context: RouteContext): Promise<Response> {
  await authenticate(context);
  const stub = await sessionStub(context);
  const epoch = Number(context.req.query("epoch"));
  return stub.fetch(actorRequest(`/runner?epoch=${epoch}`, undefined, UPGRADE));
}

export function runnerRoutes(app: App): void {
  route(app, "/api/runner/host", { GET: host });
  route(app, "/api/runner/sessions/:id", { GET: session });
}
