import { AppError } from "@agent-ops/shared/errors";
import { createRemoteJWKSet, customFetch, errors, type FetchImplementation, type RemoteJWKSet } from "jose";
import { logError } from "./log.ts";
import { isLoopback } from "./loopback.ts";

/** A key that is not in the set is looked for again, though not more often than this. */
const COOLDOWN_MS = 5_000;

const keySets = new Map<string, RemoteJWKSet>();

/** ACL10: the keys of the identity provider, read when first needed, kept for ten minutes, and again for a new key. */
export function keySetAt(address: string): RemoteJWKSet {
  const known = keySets.get(address);
  if (known) return known;
  const keySet = createRemoteJWKSet(trustedUrl(address), { cooldownDuration: COOLDOWN_MS, [customFetch]: read });
  keySets.set(address, keySet);
  return keySet;
}

/** Keys decide who is who, so nobody on the way may change them. */
function trustedUrl(address: string): URL {
  const url = URL.parse(address);
  const isLocal = url?.protocol === "http:" && isLoopback(url.hostname);
  if (url && (url.protocol === "https:" || isLocal)) return url;
  throw new Error("JWKS_URL must be an https address.");
}

/** An identity provider that does not answer is no fault of the token. */
const read: FetchImplementation = async (url, options) => {
  try {
    const response = await fetch(url, options);
    if (response.status === 200) return response;
    throw new Error(`The key set answered ${response.status}.`);
  } catch (error) {
    throw unavailable(error);
  }
};

/** What the set says is not a key set. */
export function isBrokenKeySet(error: unknown): boolean {
  return error instanceof errors.JWKSInvalid || error instanceof errors.JWKSTimeout;
}

export function unavailable(cause: unknown): AppError {
  logError("the key set cannot be read", cause);
  return new AppError("unavailable", "Tokens cannot be checked right now. Try again in a moment.");
}
