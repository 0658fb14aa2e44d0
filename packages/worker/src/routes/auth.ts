import { AppError } from "@agent-ops/shared/errors";
import { z } from "zod";
import { AUDIENCE, issueApiToken, verifyToken } from "../lib/auth.ts";
import { type App, type RouteContext, route } from "./methods.ts";
import { readJson } from "./read-json.ts";

const exchangeBody = z.object({ code: z.string().min(1) });

/** ACL3: a sign-in code becomes a token, once. */
async function exchange(context: RouteContext): Promise<Response> {
  const { code } = await readJson(context.req.raw, exchangeBody);
  const { env } = context;
  if (env.JWKS_URL)
    throw new AppError("not_found", "Sign-in links are off here: tokens come from the identity provider.");
  const claims = await verifyToken(env.AUTH_SECRET, code, AUDIENCE.signIn);
  const fresh = claims.tokenId && (await env.USERS.getByName(claims.user).useCode(claims.tokenId, claims.expiresAt));
  if (!fresh) throw new AppError("unauthorized", "This sign-in link was used before. Ask for a new one.");
  const token = await issueApiToken(env.AUTH_SECRET, claims.user);
  const { expiresAt } = await verifyToken(env.AUTH_SECRET, token, AUDIENCE.api);
  return context.json({ token, user: claims.user, expiresAt });
}

export function authRoutes(app: App): void {
  route(app, "/api/auth/exchange", { POST: exchange });
}
