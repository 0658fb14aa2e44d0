import { hmac, randomHex } from "./signing.ts";

const PATTERN = /^ses_([0-9a-f]{20})([0-9a-f]{10})$/;

/**
 * Session ids carry a mark that only this installation can make. Asking an actor whether it exists would create its
 * file, so ids without the mark are refused before any actor is touched.
 */
export async function newSessionId(secret: string): Promise<string> {
  const random = randomHex(10);
  return `ses_${random}${await mark(secret, random)}`;
}

/** SSE10: the session that a user's own chat id stands for; the same one every time. */
export async function chatSessionId(secret: string, user: string, chatId: string): Promise<string> {
  const derived = (await hmac(secret, JSON.stringify([user, chatId]))).slice(0, 20);
  return `ses_${derived}${await mark(secret, derived)}`;
}

export async function isSessionId(secret: string, id: string): Promise<boolean> {
  const match = PATTERN.exec(id);
  return match?.[1] !== undefined && match[2] === (await mark(secret, match[1]));
}

async function mark(secret: string, random: string): Promise<string> {
  return (await hmac(secret, random)).slice(0, 10);
}
