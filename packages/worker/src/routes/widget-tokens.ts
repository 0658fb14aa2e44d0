import { AppError } from "@agent-ops/shared/errors";
import { z } from "zod";
import { isAllowedOrigin } from "../lib/cors.ts";
import { requireIsolation } from "../lib/isolation.ts";
import { VISITOR } from "../lib/names.ts";
import { unwrap } from "../lib/result.ts";
import { randomHex } from "../lib/signing.ts";
import { makeWidgetToken } from "../lib/widget-token.ts";
import { type App, pathParam, type RouteContext, route } from "./methods.ts";
import { readJson } from "./read-json.ts";
import { sessionStub } from "./session-stub.ts";

const MINUTE_MS = 60_000;
const createBody = z.object({
  origin: z.string().refine(isOrigin, "An origin is scheme, host and port alone, as https://www.example.com."),
  minutes: z.number().int().min(1).max(60).default(15),
  /** Who it is, in the words of the page; the same visitor is the same person with every token. */
  visitor: z
    .string()
    .regex(/^[\w.@+-]{1,64}$/, "Letters, digits and ._@+- alone.")
    .optional(),
});

/** ACL11: an owner lets a visitor of a page chat in this session. */
async function create(context: RouteContext): Promise<Response> {
  const stub = await sessionStub(context);
  const { origin, minutes, visitor } = await readJson(context.req.raw, createBody);
  const { env } = context;
  const { user: by, tokenId } = context.var.access;
  const user = `${VISITOR}${visitor ?? randomHex(8)}`;
  unwrap(await stub.view(context.var.access));
  await requireIsolation(env, pathParam(context, "id"));
  if (!isAllowedOrigin(env, origin)) {
    throw new AppError("bad_request", `CORS_ORIGINS does not name ${origin}, so its pages could not use the token.`);
  }
  unwrap(await stub.admitVisitor(context.var.access, `${user} at ${origin}`));
  const expiresAt = Date.now() + minutes * MINUTE_MS;
  const widget = { sessionId: pathParam(context, "id"), origin, by };
  const token = await makeWidgetToken(env.AUTH_SECRET, { user, expiresAt, tokenId, widget });
  return context.json({ token, user, origin, expiresAt }, 201);
}

function isOrigin(text: string): boolean {
  return /^https?:/.test(text) && URL.parse(text)?.origin === text;
}

export function widgetTokenRoutes(app: App): void {
  route(app, "/api/sessions/:id/widget-tokens", { POST: create });
}
