import { errorBody } from "@agent-ops/shared/errors";

/** A request that was refused, or that never arrived (status 0, code `network`). */
export class ApiError extends Error {
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.name = "ApiError";
    this.status = status;
    this.code = code;
  }
}

export function refused(status: number, text: string): ApiError {
  const body = readErrorBody(text);
  return new ApiError(status, body?.code ?? "http", body?.message ?? `The server answered with status ${status}.`);
}

/** What to tell a person about any failure. The AI SDK puts a refusal's whole body into its error's message. */
export function describeError(error: unknown): string {
  if (!(error instanceof Error)) return "Something went wrong.";
  return readErrorBody(error.message)?.message ?? error.message;
}

function readErrorBody(text: string) {
  try {
    return errorBody.safeParse(JSON.parse(text)).data;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
