const PATTERN = /^ses_([0-9a-f]{20})([0-9a-f]{10})$/;

/**
 * Session ids carry a mark that only this installation can make. Asking an actor whether it exists would create its
 * file, so ids without the mark are refused before any actor is touched.
 */
export async function newSessionId(secret: string): Promise<string> {
  const random = hex(crypto.getRandomValues(new Uint8Array(10)));
  return `ses_${random}${await mark(secret, random)}`;
}

/** SSE10: the session that a user's own chat id stands for; the same one every time. */
export async function chatSessionId(secret: string, user: string, chatId: string): Promise<string> {
  const derived = hex((await sign(secret, JSON.stringify([user, chatId]))).slice(0, 10));
  return `ses_${derived}${await mark(secret, derived)}`;
}

export async function isSessionId(secret: string, id: string): Promise<boolean> {
  const match = PATTERN.exec(id);
  return match?.[1] !== undefined && match[2] === (await mark(secret, match[1]));
}

const keys = new Map<string, Promise<CryptoKey>>();

async function mark(secret: string, random: string): Promise<string> {
  return hex((await sign(secret, random)).slice(0, 5));
}

async function sign(secret: string, text: string): Promise<Uint8Array> {
  const encoder = new TextEncoder();
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const key = keys.get(secret) ?? crypto.subtle.importKey("raw", encoder.encode(secret), algorithm, false, ["sign"]);
  keys.set(secret, key);
  return new Uint8Array(await crypto.subtle.sign("HMAC", await key, encoder.encode(text)));
}

function hex(bytes: Uint8Array): string {
  return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
