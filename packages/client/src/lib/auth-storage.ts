import { z } from "zod";
import type { SignedIn } from "./api-schemas.ts";

const KEY = "agent-ops.auth";
const stored = z.object({ token: z.string(), user: z.string() });

export function loadAuth(): SignedIn | undefined {
  const text = localStorage.getItem(KEY);
  if (text === null) return undefined;
  try {
    return stored.safeParse(JSON.parse(text)).data;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

export function saveAuth(auth: SignedIn | undefined): void {
  if (auth) localStorage.setItem(KEY, JSON.stringify({ token: auth.token, user: auth.user }));
  else localStorage.removeItem(KEY);
}

/** Takes the one-time code out of the address bar, so that it is in no history, bookmark or screenshot. */
export function takeSignInCode(): string | undefined {
  const url = new URL(location.href);
  const code = url.searchParams.get("token");
  if (code === null) return undefined;
  url.searchParams.delete("token");
  history.replaceState(null, "", url);
  return code === "" ? undefined : code;
}
