import { type Access, access } from "./access.ts";
import { fromBase64Url, isSigned, signText, toBase64Url } from "./signing.ts";

const PREFIX = "aow_";
const PATTERN = /^aow_([\w-]+)\.([0-9a-f]{64})$/;
const PURPOSE = "widget-token";

export function looksLikeWidgetToken(token: string): boolean {
  return token.startsWith(PREFIX);
}

/** ACL11: the token says itself what it opens; nothing is kept of it. */
export async function makeWidgetToken(secret: string, by: Access): Promise<string> {
  const body = toBase64Url(JSON.stringify(by));
  return `${PREFIX}${body}.${await signText(PURPOSE, secret, body)}`;
}

/** Undefined for what this installation never made, and for what is over. */
export async function readWidgetToken(secret: string, token: string, now: number): Promise<Access | undefined> {
  const [, body, mark] = PATTERN.exec(token) ?? [];
  if (!body || !mark || !(await isSigned(PURPOSE, secret, body, mark))) return undefined;
  const by = access.parse(JSON.parse(fromBase64Url(body)));
  return by.expiresAt > now ? by : undefined;
}
