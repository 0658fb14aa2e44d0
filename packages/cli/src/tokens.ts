import { randomUUID } from "node:crypto";
import { SignJWT } from "jose";

type Audience = "agent-ops" | "agent-ops:sign-in" | "agent-ops:runner";

/** A token for one audience; `ttl` as jose reads it, for example "1h". */
export function mintToken(
  secret: string,
  subject: string,
  options: { audience: Audience; ttl: string },
): Promise<string> {
  return new SignJWT({})
    .setProtectedHeader({ alg: "HS256" })
    .setSubject(subject)
    .setAudience(options.audience)
    .setJti(randomUUID())
    .setIssuedAt()
    .setExpirationTime(options.ttl)
    .sign(new TextEncoder().encode(secret));
}

/** A one-time sign-in link. */
export async function signInLink(secret: string, user: string, base: string): Promise<string> {
  const code = await mintToken(secret, user, { audience: "agent-ops:sign-in", ttl: "10m" });
  return `${base}/?token=${code}`;
}
