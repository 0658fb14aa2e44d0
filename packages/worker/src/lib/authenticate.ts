import { AppError } from "@agent-ops/shared/errors";
import type { Env } from "../env.ts";
import type { Access } from "./access.ts";
import { looksLikeApiToken, readApiToken } from "./api-token.ts";
import { AUDIENCE, bearerToken, type Claims, verifyByProvider, verifyToken } from "./auth.ts";
import { looksLikeWidgetToken, readWidgetToken } from "./widget-token.ts";

/** ACL1: a JWT, an API token or a widget token in the `Authorization` header. */
export async function authenticate(env: Env, { headers }: Request): Promise<Access> {
  const token = bearerToken(headers.get("authorization"));
  if (looksLikeApiToken(token)) return byApiToken(env, token);
  if (looksLikeWidgetToken(token)) return byWidgetToken(env, token, headers.get("origin"));
  const { user, expiresAt } = await verifyPerson(env, token);
  return { user, expiresAt };
}

function verifyPerson(env: Env, token: string): Promise<Claims> {
  const { JWKS_URL: keys, JWT_AUDIENCE: audience, JWT_ISSUER: issuer } = env;
  if (keys) return verifyByProvider({ keys, audience, issuer }, token);
  return verifyToken(env.AUTH_SECRET, token, AUDIENCE.api);
}

async function byApiToken(env: Env, token: string): Promise<Access> {
  const read = await readApiToken(env.AUTH_SECRET, token);
  const expiresAt = read && (await env.USERS.getByName(read.user).checkToken(read.id, read.hash));
  if (!read || !expiresAt) throw new AppError("unauthorized", "The API token is unknown, expired or revoked.");
  return { user: read.user, expiresAt, tokenId: read.id };
}

/** ACL11: good from its own origin alone, and for as long as the API token that it was made with. */
async function byWidgetToken(env: Env, token: string, origin: string | null): Promise<Access> {
  const by = await readWidgetToken(env.AUTH_SECRET, token, Date.now());
  if (!by?.widget) throw new AppError("unauthorized", "The widget token is unknown or has expired.");
  if (by.widget.origin !== origin) throw new AppError("unauthorized", "The widget token belongs to another origin.");
  if (by.tokenId && !(await env.USERS.getByName(by.widget.by).hasToken(by.tokenId))) {
    throw new AppError("unauthorized", "The API token that this widget token was made with is expired or revoked.");
  }
  return by;
}
