import { AppError } from "@agent-ops/shared/errors";
import { errors, type JWTPayload, type JWTVerifyOptions, type JWTVerifyResult, jwtVerify, SignJWT } from "jose";
import { isBrokenKeySet, keySetAt, unavailable } from "./key-set.ts";
import { isPersonsName } from "./names.ts";

/** Who a token is for. A token for one audience opens nothing else. */
export const AUDIENCE = { api: "agent-ops", signIn: "agent-ops:sign-in", runner: "agent-ops:runner" } as const;
export type Audience = (typeof AUDIENCE)[keyof typeof AUDIENCE];

const API_TOKEN_TTL = "12h";
const REQUIRED = ["sub", "exp", "aud"];
/** Only those whose key can check and not sign: a public key must never pass as a secret. */
const PUBLIC_KEY_ALGORITHMS = ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "EdDSA"];

export type Claims = { user: string; expiresAt: number; tokenId: string | undefined };
/** Where an identity provider's keys are, for whom its tokens must be, and from whom. */
export type Provider = { keys: string; audience?: string | undefined; issuer?: string | undefined };

/** ACL1: a pinned algorithm, and `sub`, `exp` and `aud` required. */
export function verifyToken(secret: string, token: string, audience: Audience): Promise<Claims> {
  const options = { algorithms: ["HS256"], audience, requiredClaims: REQUIRED };
  return claimsOf(() => jwtVerify(token, new TextEncoder().encode(secret), options));
}

/** ACL10: the key that the token names decides the algorithm, which is never one with a shared secret. */
export function verifyByProvider({ keys, audience, issuer }: Provider, token: string): Promise<Claims> {
  const options: JWTVerifyOptions = {
    algorithms: PUBLIC_KEY_ALGORITHMS,
    audience: audience ?? AUDIENCE.api,
    requiredClaims: REQUIRED,
    ...(issuer ? { issuer } : {}),
  };
  return claimsOf(() => jwtVerify(token, keySetAt(keys), options));
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

async function claimsOf(verify: () => Promise<JWTVerifyResult>): Promise<Claims> {
  try {
    return toClaims((await verify()).payload);
  } catch (error) {
    if (isBrokenKeySet(error)) throw unavailable(error);
    if (error instanceof errors.JOSEError) throw new AppError("unauthorized", reasonOf(error));
    throw error;
  }
}

function toClaims({ sub, exp, jti }: JWTPayload): Claims {
  if (!isPersonsName(sub) || exp === undefined) throw new AppError("unauthorized", "The token names nobody.");
  return { user: sub, expiresAt: exp * 1000, tokenId: jti };
}

function reasonOf(error: errors.JOSEError): string {
  return error instanceof errors.JWTExpired ? "The token has expired." : "The token is not valid here.";
}
