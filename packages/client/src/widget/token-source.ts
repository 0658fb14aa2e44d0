import { z } from "zod";

/** A token itself, or the address that gives `{token, expiresAt}` as `POST .../widget-tokens` does. */
export type TokenSource = string | { url: string };

const given = z.looseObject({ token: z.string(), expiresAt: z.number().optional() });
const EARLY_MS = 60_000;

/** Reads the token that holds now; one that is about to end is asked for again. */
export function tokenReader(source: TokenSource): () => string | Promise<string> {
  if (typeof source === "string") return () => source;
  let current: z.infer<typeof given> | undefined;
  return async () => {
    const over = current?.expiresAt !== undefined && current.expiresAt - EARLY_MS < Date.now();
    if (!current || over) current = given.parse(await (await fetch(source.url)).json());
    return current.token;
  };
}
