import { randomBytes } from "node:crypto";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { z } from "zod";
import type { DataPaths } from "./paths.ts";
import { UsageError } from "./usage-error.ts";

const secrets = z.object({ auth: z.string().min(32), id: z.string().min(32) });
export type Secrets = z.infer<typeof secrets>;

/** The installation's secrets: made at first use, readable by the owner alone. */
export function loadSecrets(paths: DataPaths): Secrets {
  mkdirSync(paths.private, { recursive: true, mode: 0o700 });
  const fresh = { auth: randomBytes(32).toString("base64url"), id: randomBytes(32).toString("base64url") };
  try {
    writeFileSync(paths.secrets, JSON.stringify(fresh), { mode: 0o600, flag: "wx" });
    return fresh;
  } catch (error) {
    if (!isExisting(error)) {
      // A file that was begun on a full disk would count as damaged for ever.
      rmSync(paths.secrets, { force: true });
      throw error;
    }
  }
  const parsed = secrets.safeParse(parseJson(readFileSync(paths.secrets, "utf8")));
  if (!parsed.success) throw new UsageError(`${paths.secrets} is damaged. Restore it, or remove it to begin anew.`);
  return parsed.data;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isExisting(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "EEXIST";
}
