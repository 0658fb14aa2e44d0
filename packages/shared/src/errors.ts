import { z } from "zod";

/** The closed set of things that can be wrong, with the HTTP status each one has. */
const STATUS = {
  bad_request: 400,
  bad_json: 400,
  no_messages: 400,
  empty_prompt: 400,
  bad_answer: 400,
  unauthorized: 401,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  conflict: 409,
  already_answered: 409,
  nothing_running: 409,
  too_large: 413,
  queue_full: 429,
  rate_limited: 429,
  too_many: 429,
  internal: 500,
  no_runner: 503,
  unavailable: 503,
  not_stored: 503,
} as const;

export type ErrorCode = keyof typeof STATUS;

export const errorBody = z.object({ code: z.string(), message: z.string() });
export type ErrorBody = z.infer<typeof errorBody>;

/** An error whose message is meant for the person at the other end. */
export class AppError extends Error {
  readonly code: ErrorCode;

  constructor(code: ErrorCode, message: string) {
    super(message);
    this.name = "AppError";
    this.code = code;
  }
}

export function statusOf(code: ErrorCode): (typeof STATUS)[ErrorCode] {
  return STATUS[code];
}

const NOT_STORED =
  "The server cannot store this, perhaps because its disk is full, so it was not done. Try again later.";

/** What the store says when it is full, and what the runtime says in place of an actor whose writes were lost. */
function isNotStored(error: unknown): boolean {
  return error instanceof Error && /SQLITE_FULL|^internal error; reference = /.test(error.message);
}

/** What may leave the process about any failure: nothing internal. */
export function toErrorBody(error: unknown): ErrorBody & { code: ErrorCode } {
  if (error instanceof AppError) return { code: error.code, message: error.message };
  if (isNotStored(error)) return { code: "not_stored", message: NOT_STORED };
  return { code: "internal", message: "Something went wrong on our side. The server's log says what." };
}
