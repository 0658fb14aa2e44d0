import { AppError, statusOf, toErrorBody } from "@agent-ops/shared/errors";
import { logError } from "./log.ts";

/** The one mapping from a failure to an HTTP answer. */
export function errorResponse(error: unknown): Response {
  if (!(error instanceof AppError)) logError("request failed", error);
  const body = toErrorBody(error);
  return Response.json(body, { status: statusOf(body.code), headers: { "x-error-code": body.code } });
}
