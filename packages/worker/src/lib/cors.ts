import { cors } from "hono/cors";
import type { Env } from "../env.ts";

const EXPOSED = ["x-chat-session-id", "x-error-code", "x-workflow-run-id"];
const ALLOWED = [
  "authorization",
  "content-type",
  // Some builds of the AI SDK send one from the browser.
  "user-agent",
  "x-agent-ops-approvals",
  "x-agent-ops-on-disconnect",
  "x-agent-ops-channel-id",
  "x-agent-ops-events",
];

/** SSE11: pages of other origins may call where the operator says so, and nowhere else. */
export const corsPolicy = cors({
  origin: (origin, context) => (isAllowedOrigin(context.env, origin) ? origin : null),
  allowHeaders: ALLOWED,
  allowMethods: ["GET", "POST", "PUT", "PATCH", "DELETE"],
  exposeHeaders: EXPOSED,
  maxAge: 600,
});

export function isAllowedOrigin({ CORS_ORIGINS = "" }: Env, origin: string): boolean {
  return CORS_ORIGINS.split(",").some((allowed) => allowed.trim() === origin || allowed.trim() === "*");
}
