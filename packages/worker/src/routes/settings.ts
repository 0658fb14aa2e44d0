import type { PublicSettings } from "@agent-ops/shared/settings";
import type { Env } from "../env.ts";
import { telemetryOf } from "../lib/telemetry.ts";
import { type App, type RouteContext, route } from "./methods.ts";

/** ACL13: what a page has to know before anybody has signed in. Nothing of it is a secret. */
function settingsOf(env: Env): PublicSettings {
  return { signIn: env.JWKS_URL ? "token" : "link", telemetry: telemetryOf(env) };
}

export function settingsRoutes(app: App): void {
  route(app, "/api/settings", { GET: (context: RouteContext) => context.json(settingsOf(context.env)) });
}
