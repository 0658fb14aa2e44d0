import { AppError } from "@agent-ops/shared/errors";
import { Hono } from "hono";
import { AUDIENCE, bearerToken, verifyToken } from "./lib/auth.ts";
import { corsPolicy } from "./lib/cors.ts";
import { errorResponse } from "./lib/http-errors.ts";
import { metrics } from "./lib/metrics.ts";
import { serveAsset } from "./routes/assets.ts";
import { authRoutes } from "./routes/auth.ts";
import { chatRoutes } from "./routes/chat-adapter.ts";
import { type AppEnv, type RouteContext, route } from "./routes/methods.ts";
import { runnerRoutes } from "./routes/runner.ts";
import { sessionRoutes, socketRoutes } from "./routes/sessions.ts";

export const app = new Hono<AppEnv>();

app.onError((error) => errorResponse(error));
app.use("/api/*", (context, next) => (isUpgrade(context.req.raw) ? next() : corsPolicy(context, next)));

route(app, "/metrics", { GET: serveMetrics });
route(app, "/healthz", { GET: (context) => context.json({ ok: true }) });
authRoutes(app);
runnerRoutes(app);
socketRoutes(app);

/** ACL1: everything below needs a token. */
app.use("/api/*", async (context, next) => {
  const token = bearerToken(context.req.header("authorization"));
  const { user } = await verifyToken(context.env.AUTH_SECRET, token, AUDIENCE.api);
  context.set("user", user);
  await next();
});

sessionRoutes(app);
for (const path of ["/api/sessions/:id/chat", "/api/sessions/:id/chat/*", "/api/chat", "/api/chat/*"]) {
  app.use(path, adapterSwitch);
}
chatRoutes(app);

app.all("/api/*", () => {
  throw new AppError("not_found", "There is no such route.");
});
app.get("*", serveAsset);
app.notFound(() => errorResponse(new AppError("not_found", "There is nothing here.")));

async function adapterSwitch(context: RouteContext, next: () => Promise<void>): Promise<void> {
  if (context.env.ENABLE_AI_SDK_ADAPTER === "false") throw new AppError("not_found", "The AI SDK adapter is off.");
  metrics.count("adapter.request.count");
  await next();
  if (context.res.status >= 500) metrics.count("adapter.request.errors");
}

/** Open on one machine; elsewhere for those who have a token. */
async function serveMetrics(context: RouteContext): Promise<Response> {
  if (context.env.LOOPBACK !== "true") {
    await verifyToken(context.env.AUTH_SECRET, bearerToken(context.req.header("authorization")), AUDIENCE.api);
  }
  return context.text(metrics.text(), 200, { "content-type": "text/plain; version=0.0.4" });
}

/** The answer to an upgrade is a socket, whose headers are not ours to change. */
function isUpgrade(request: Request): boolean {
  return request.headers.has("upgrade");
}
