import { readFileSync } from "node:fs";
import { join } from "node:path";

/** The secrets of a running product, as its owner can read them. */
export function readSecrets(data: string): { auth: string; id: string } {
  return JSON.parse(readFileSync(join(data, "private/secrets.json"), "utf8"));
}
