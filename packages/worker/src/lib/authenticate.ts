import { AppError } from "@agent-ops/shared/errors";
import type { Env } from "../env.ts";
import type { Access } from "./access.ts";
import { looksLikeApiToken, readApiToken } from "./api-token.ts";
import { AUDIENCE, bearerToken, verifyToken } from "./auth.ts";

/** ACL1: a JWT or an API token in the `Authorization` header. */
export async function authenticate(env: Env, header: string | undefined): Promise<Access> {
  const token = bearerToken(header);
  if (!looksLikeApiToken(token)) {
    const { user, expiresAt } = await verifyToken(env.AUTH_SECRET, token, AUDIENCE.api);
    return { user, expiresAt };
  }
  const read = await readApiToken(env.AUTH_SECRET, token);
  const expiresAt = read && (await env.USERS.getByName(read.user).checkToken(read.id, read.hash));
  if (!read || !expiresAt) throw new AppError("unauthorized", "The API token is unknown, expired or revoked.");
  return { user: read.user, expiresAt, tokenId: read.id };
}
