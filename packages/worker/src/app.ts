import { AppError } from "@agent-ops/shared/errors";
import { Hono } from "hono";
import { authenticate } from "./lib/authenticate.ts";
import { corsPolicy } from "./lib/cors.ts";
import { errorResponse } from "./lib/http-errors.ts";
import { requireKnownHost } from "./lib/known-host.ts";
import { metrics } from "./lib/metrics.ts";
import { requireScope } from "./lib/widget-scope.ts";
import { agentRoutes } from "./routes/agents.ts";
import { serveAsset } from "./routes/assets.ts";
import { authRoutes } from "./routes/auth.ts";
import { chatRoutes } from "./routes/chat-adapter.ts";
import { type AppEnv, type RouteContext, route } from "./routes/methods.ts";
import { runnerRoutes } from "./routes/runner.ts";
import { sessionRoutes, socketRoutes } from "./routes/sessions.ts";
import { settingsRoutes } from "./routes/settings.ts";
import { tokenRoutes } from "./routes/tokens.ts";
import { widgetTokenRoutes } from "./routes/widget-tokens.ts";

/** The routes of the AI SDK adapter, those without the last part included. */
const ADAPTER = ["/api/sessions/:id/chat/*", "/api/chat/*"];

export const app = new Hono<AppEnv>();

app.onError((error) => errorResponse(error));
app.use("*", (context, next) => {
  requireKnownHost(context.env, context.req.raw);
  return next();
});
app.use("/api/*", (context, next) => (isUpgrade(context.req.raw) ? next() : corsPolicy(context, next)));
app.use("/api/*", refuseHead);
for (const path of ADAPTER) app.use(path, adapterSwitch);

route(app, "/metrics", { GET: serveMetrics });
route(app, "/healthz", { GET: (context) => context.json({ ok: true }) });
settingsRoutes(app);
authRoutes(app);
runnerRoutes(app);
socketRoutes(app);

/** ACL1: everything below needs a token. */
app.use("/api/*", async (context, next) => {
  const access = await authenticate(context.env, context.req.raw);
  requireScope(access, context.req.raw);
  context.set("access", access);
  context.set("user", access.user);
  await next();
});

agentRoutes(app);
sessionRoutes(app);
tokenRoutes(app);
widgetTokenRoutes(app);
for (const path of ADAPTER) app.use(path, countRequest);
chatRoutes(app);

app.all("/api/*", () => {
  throw new AppError("not_found", "There is no such route.");
});
app.get("*", serveAsset);
app.notFound(() => errorResponse(new AppError("not_found", "There is nothing here.")));

async function adapterSwitch(context: RouteContext, next: () => Promise<void>): Promise<void> {
  if (context.env.ENABLE_AI_SDK_ADAPTER === "false") throw new AppError("not_found", "The AI SDK adapter is off.");
  await next();
}

/** The framework answers HEAD by dropping the body of what GET gives: a stream would go on with nobody to read it. */
async function refuseHead(context: RouteContext, next: () => Promise<void>): Promise<void> {
  if (context.req.method === "HEAD") throw new AppError("method_not_allowed", "HEAD is not possible here.");
  await next();
}

async function countRequest(context: RouteContext, next: () => Promise<void>): Promise<void> {
  metrics.count("adapter.request.count");
  await next();
  if (context.res.status >= 500) metrics.count("adapter.request.errors");
}

/** Open on one machine; elsewhere for those who have a token. */
async function serveMetrics(context: RouteContext): Promise<Response> {
  if (context.env.LOOPBACK !== "true") {
    requireScope(await authenticate(context.env, context.req.raw), context.req.raw);
  }
  return context.text(metrics.text(), 200, { "content-type": "text/plain; version=0.0.4" });
}

/** The answer to an upgrade is a socket, whose headers are not ours to change. */
function isUpgrade(request: Request): boolean {
  return request.headers.has("upgrade");
}
