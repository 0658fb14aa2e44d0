import { digest, fromBase64Url, randomHex, signText, toBase64Url } from "./signing.ts";

/** What an API token says about itself; whether it still counts only its owner's actor knows. */
export type ApiToken = { user: string; id: string; hash: string };

const PATTERN = /^aot_([\w-]+)\.([0-9a-f]{12})\.([0-9a-f]{48})\.([0-9a-f]{20})$/;
const PREFIX = "aot_";

export function looksLikeApiToken(token: string): boolean {
  return token.startsWith(PREFIX);
}

/** A new token. It is shown once; the actor keeps its hash. */
export async function makeApiToken(secret: string, user: string): Promise<ApiToken & { token: string }> {
  const id = randomHex(6);
  const body = `${toBase64Url(user)}.${id}.${randomHex(24)}`;
  const token = `${PREFIX}${body}.${await mark(secret, body)}`;
  return { user, id, hash: await digest(token), token };
}

/** Undefined for what this installation never made: such a token reaches no actor. */
export async function readApiToken(secret: string, token: string): Promise<ApiToken | undefined> {
  const [, name, id, random, given] = PATTERN.exec(token) ?? [];
  if (!name || !id || given !== (await mark(secret, `${name}.${id}.${random}`))) return undefined;
  return { user: fromBase64Url(name), id, hash: await digest(token) };
}

async function mark(secret: string, body: string): Promise<string> {
  return (await signText("api-token", secret, body)).slice(0, 20);
}
