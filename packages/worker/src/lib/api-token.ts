/** What an API token says about itself; whether it still counts only its owner's actor knows. */
export type ApiToken = { user: string; id: string; hash: string };

const PATTERN = /^aot_([\w-]+)\.([0-9a-f]{12})\.([0-9a-f]{48})\.([0-9a-f]{20})$/;
const PREFIX = "aot_";

export function looksLikeApiToken(token: string): boolean {
  return token.startsWith(PREFIX);
}

/** A new token. It is shown once; the actor keeps its hash. */
export async function makeApiToken(secret: string, user: string): Promise<ApiToken & { token: string }> {
  const id = hex(crypto.getRandomValues(new Uint8Array(6)));
  const body = `${encodeName(user)}.${id}.${hex(crypto.getRandomValues(new Uint8Array(24)))}`;
  const token = `${PREFIX}${body}.${await mark(secret, body)}`;
  return { user, id, hash: await digest(token), token };
}

/** Undefined for what this installation never made: such a token reaches no actor. */
export async function readApiToken(secret: string, token: string): Promise<ApiToken | undefined> {
  const [, name, id, random, given] = PATTERN.exec(token) ?? [];
  if (!name || !id || given !== (await mark(secret, `${name}.${id}.${random}`))) return undefined;
  return { user: decodeName(name), id, hash: await digest(token) };
}

async function mark(secret: string, text: string): Promise<string> {
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("raw", bytesOf(`api-token:${secret}`), algorithm, false, ["sign"]);
  return hex(new Uint8Array(await crypto.subtle.sign("HMAC", key, bytesOf(text)))).slice(0, 20);
}

async function digest(text: string): Promise<string> {
  return hex(new Uint8Array(await crypto.subtle.digest("SHA-256", bytesOf(text))));
}

function encodeName(name: string): string {
  return btoa(String.fromCharCode(...bytesOf(name)))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");
}

function decodeName(text: string): string {
  const binary = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  return new TextDecoder().decode(Uint8Array.from(binary, (letter) => letter.charCodeAt(0)));
}

function bytesOf(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

function hex(bytes: Uint8Array): string {
  return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
