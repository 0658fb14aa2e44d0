import { UsageError } from "./usage-error.ts";

const ANSWER_MS = 10_000;

/** Finds out before anything starts whether a runner with this token would be let in. */
export async function requireEntry(url: string, token: string): Promise<void> {
  const answer = await ask(url, token);
  // The door is for WebSockets, and says so to whoever has the right token.
  const code = answer.headers.get("x-error-code");
  if (code === "bad_request") return;
  if (answer.status === 401 || answer.status === 403) {
    throw new UsageError(
      `${url} refused the token. Make one where Agent Ops runs: agent-ops token --runner NAME (a user's token does not do).`,
    );
  }
  throw new UsageError(`${url} does not answer like Agent Ops (${answer.status}). Is the address right?`);
}

async function ask(url: string, token: string): Promise<Response> {
  try {
    const headers = { authorization: `Bearer ${token}` };
    return await fetch(`${url}/api/runner/host`, { headers, signal: AbortSignal.timeout(ANSWER_MS) });
  } catch (error) {
    throw new UsageError(`${url} cannot be reached (${reasonOf(error)}). Is Agent Ops running there?`);
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  return cause instanceof Error && "code" in cause ? String(cause.code) : error.message;
}
