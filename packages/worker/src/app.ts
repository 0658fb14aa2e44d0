import { AppError } from "@agent-ops/shared/errors";
import { Hono } from "hono";
import { AUDIENCE, bearerToken, verifyToken } from "./lib/auth.ts";
import { corsPolicy } from "./lib/cors.ts";
import { errorResponse } from "./lib/http-errors.ts";
import { serveAsset } from "./routes/assets.ts";
import { authRoutes } from "./routes/auth.ts";
import { chatRoutes } from "./routes/chat-adapter.ts";
import { type AppEnv, route } from "./routes/methods.ts";
import { runnerRoutes } from "./routes/runner.ts";
import { sessionRoutes, socketRoutes } from "./routes/sessions.ts";

export const app = new Hono<AppEnv>();

app.onError((error) => errorResponse(error));
app.use("/api/*", (context, next) => (isUpgrade(context.req.raw) ? next() : corsPolicy(context, next)));

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

async function adapterSwitch(context: { env: AppEnv["Bindings"] }, next: () => Promise<void>): Promise<void> {
  if (context.env.ENABLE_AI_SDK_ADAPTER === "false") throw new AppError("not_found", "The AI SDK adapter is off.");
  await next();
}

/** The answer to an upgrade is a socket, whose headers are not ours to change. */
function isUpgrade(request: Request): boolean {
  return request.headers.has("upgrade");
}
