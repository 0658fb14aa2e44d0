import { AppError } from "@agent-ops/shared/errors";
import { z } from "zod";
import { isDeeperThan, LEVELS } from "../lib/levels.ts";
import { readLimited } from "../lib/read-limited.ts";
import { isWellFormed } from "../lib/well-formed.ts";

const SMALL_BODY_BYTES = 64 * 1024;

/** A small JSON body of a known shape. An empty body counts as `{}`. */
export async function readJson<T extends z.ZodType>(request: Request, schema: T): Promise<z.infer<T>> {
  const text = await readLimited(request, SMALL_BODY_BYTES);
  const value = parse(text);
  if (isDeeperThan(value, LEVELS)) throw new AppError("bad_request", `The body has more than ${LEVELS} levels.`);
  if (!isWellFormed(value)) throw new AppError("bad_request", "The body has half of a surrogate pair in it.");
  const parsed = schema.safeParse(value);
  if (!parsed.success) throw new AppError("bad_request", z.prettifyError(parsed.error));
  return parsed.data;
}

function parse(text: string): unknown {
  try {
    return text === "" ? {} : JSON.parse(text);
  } catch {
    throw new AppError("bad_json", "The body is not JSON.");
  }
}
