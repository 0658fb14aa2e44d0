import { AppError, type ErrorCode, toErrorBody } from "@agent-ops/shared/errors";
import { logError } from "./log.ts";

/** An outcome that survives the way between a route and an actor; a thrown error would lose its code there. */
export type Result<T> = { ok: true; value: T } | { ok: false; code: ErrorCode; message: string };

export function attempt<T>(work: () => T): Result<T> {
  try {
    return { ok: true, value: work() };
  } catch (error) {
    if (!(error instanceof AppError)) logError("actor call failed", error);
    return { ok: false, ...toErrorBody(error) };
  }
}

export function unwrap<T>(result: Result<T>): T {
  if (result.ok) return result.value;
  throw new AppError(result.code, result.message);
}
