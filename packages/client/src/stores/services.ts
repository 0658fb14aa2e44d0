import { createApi } from "../lib/api.ts";
import { currentToken, signOut } from "./auth-store.ts";

/** The API as the signed-in person of this page. */
export const api = createApi({ token: currentToken, onUnauthorized: () => signOut("expired") });
