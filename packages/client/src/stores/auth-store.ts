import { create } from "zustand";
import { exchangeCode, signInWith } from "../lib/api.ts";
import { ApiError, describeError } from "../lib/api-error.ts";
import type { SignedIn } from "../lib/api-schemas.ts";
import { loadAuth, saveAuth, takeSignInCode } from "../lib/auth-storage.ts";

export type Auth =
  | { kind: "signing-in" }
  | ({ kind: "signed-in" } & SignedIn)
  | { kind: "signed-out"; reason: "first-visit" | "used-link" | "expired" | "left" | { failed: string } };

export const useAuth = create<{ auth: Auth }>()(() => ({ auth: { kind: "signing-in" } }));

/** Signs in with the link's code, else with what this browser remembers. */
export async function startAuth(): Promise<void> {
  const code = takeSignInCode();
  const remembered = loadAuth();
  if (code === undefined) return remembered ? enter(remembered) : leave("first-visit");
  try {
    enter(await exchangeCode(code));
  } catch (error) {
    if (remembered) enter(remembered);
    else leave(error instanceof ApiError && error.status === 401 ? "used-link" : { failed: describeError(error) });
  }
}

/** With a token of the identity provider. */
export async function enterToken(token: string): Promise<void> {
  enter(await signInWith(token));
}

export function signOut(reason: "expired" | "left"): void {
  leave(reason);
}

export function currentToken(): string | undefined {
  const { auth } = useAuth.getState();
  return auth.kind === "signed-in" ? auth.token : undefined;
}

function enter({ token, user }: SignedIn): void {
  saveAuth({ token, user });
  useAuth.setState({ auth: { kind: "signed-in", token, user } });
}

function leave(reason: Extract<Auth, { kind: "signed-out" }>["reason"]): void {
  if (reason === "expired" || reason === "left") saveAuth(undefined);
  useAuth.setState({ auth: { kind: "signed-out", reason } });
}
