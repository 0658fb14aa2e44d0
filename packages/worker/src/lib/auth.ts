import { AppError } from "@agent-ops/shared/errors";
import { errors, type JWTPayload, jwtVerify, SignJWT } from "jose";

/** Who a token is for. A token for one audience opens nothing else. */
export const AUDIENCE = { api: "agent-ops", signIn: "agent-ops:sign-in", runner: "agent-ops:runner" } as const;
export type Audience = (typeof AUDIENCE)[keyof typeof AUDIENCE];

const API_TOKEN_TTL = "12h";

export type Claims = { user: string; expiresAt: number; tokenId: string | undefined };

/** ACL1: a pinned algorithm, and `sub`, `exp` and `aud` required. */
export async function verifyToken(secret: string, token: string, audience: Audience): Promise<Claims> {
  try {
    const { payload } = await jwtVerify(token, new TextEncoder().encode(secret), {
      algorithms: ["HS256"],
      audience,
      requiredClaims: ["sub", "exp", "aud"],
    });
    return claimsOf(payload);
  } catch (error) {
    if (error instanceof errors.JOSEError) throw new AppError("unauthorized", reasonOf(error));
    throw error;
  }
}

export function bearerToken(header: string | null | undefined): string {
  const match = /^Bearer (.+)$/i.exec(header ?? "");
  if (!match?.[1]) throw new AppError("unauthorized", "Send a token in the header: Authorization: Bearer TOKEN.");
  return match[1];
}

export function issueApiToken(secret: string, user: string): Promise<string> {
  return new SignJWT({})
    .setProtectedHeader({ alg: "HS256" })
    .setSubject(user)
    .setAudience(AUDIENCE.api)
    .setIssuedAt()
    .setExpirationTime(API_TOKEN_TTL)
    .sign(new TextEncoder().encode(secret));
}

function claimsOf(payload: JWTPayload): Claims {
  if (typeof payload.sub !== "string" || payload.sub === "" || payload.exp === undefined)
    throw new AppError("unauthorized", "The token names nobody.");
  return { user: payload.sub, expiresAt: payload.exp * 1000, tokenId: payload.jti };
}

function reasonOf(error: errors.JOSEError): string {
  return error instanceof errors.JWTExpired ? "The token has expired." : "The token is not valid here.";
}
