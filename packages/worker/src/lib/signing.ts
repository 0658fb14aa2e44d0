/** Marks that only this installation can make, and the text forms that tokens have. */

/** HMAC-SHA-256 as hexadecimal digits. */
export async function hmac(secret: string, text: string): Promise<string> {
  return toHex(new Uint8Array(await crypto.subtle.sign("HMAC", await keyOf(secret), bytesOf(text))));
}

/** Each purpose has a key of its own, so that no mark counts for another. */
export function signText(purpose: string, secret: string, text: string): Promise<string> {
  return hmac(`${purpose}:${secret}`, text);
}

/** Takes the same time whatever is wrong with the mark. */
export async function isSigned(purpose: string, secret: string, text: string, mark: string): Promise<boolean> {
  return crypto.subtle.verify("HMAC", await keyOf(`${purpose}:${secret}`), fromHex(mark), bytesOf(text));
}

export async function digest(text: string): Promise<string> {
  return toHex(new Uint8Array(await crypto.subtle.digest("SHA-256", bytesOf(text))));
}

export function randomHex(bytes: number): string {
  return toHex(crypto.getRandomValues(new Uint8Array(bytes)));
}

export function toBase64Url(text: string): string {
  return btoa(String.fromCharCode(...bytesOf(text)))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");
}

export function fromBase64Url(text: string): string {
  const binary = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  return new TextDecoder().decode(Uint8Array.from(binary, (letter) => letter.charCodeAt(0)));
}

const keys = new Map<string, Promise<CryptoKey>>();

function keyOf(secret: string): Promise<CryptoKey> {
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const known = keys.get(secret);
  const key = known ?? crypto.subtle.importKey("raw", bytesOf(secret), algorithm, false, ["sign", "verify"]);
  keys.set(secret, key);
  return key;
}

function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(new TextEncoder().encode(text));
}

function toHex(bytes: Uint8Array): string {
  return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

function fromHex(digits: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(digits.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
}
