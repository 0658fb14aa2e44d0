import type { Answer } from "@agent-ops/shared/questions";
import { sessionView } from "@agent-ops/shared/sessions";
import type { UIMessage } from "ai";
import { z } from "zod";
import { ApiError, refused } from "./api-error.ts";

const signedIn = z.object({ token: z.string(), user: z.string() });
export type SignedIn = z.infer<typeof signedIn>;

const sessionList = z.object({ sessions: z.array(sessionView) });
const ticket = z.object({ ticket: z.string() });
const messageShape = z.looseObject({
  id: z.string(),
  role: z.enum(["system", "user", "assistant"]),
  parts: z.array(z.looseObject({ type: z.string() })),
});
const uiMessage = z.custom<UIMessage>((value) => messageShape.safeParse(value).success);
const messagePage = z.object({ messages: z.array(uiMessage) });

type Request = { method: string; path: string; body?: unknown; token?: string };

export type ApiDeps = { token: () => string | undefined; onUnauthorized: () => void };

/** Trades the one-time code of a sign-in link for a token. */
export function exchangeCode(code: string): Promise<SignedIn> {
  return requestJson({ method: "POST", path: "/api/auth/exchange", body: { code } }, signedIn);
}

export function createApi(deps: ApiDeps) {
  const call = async <T>(method: string, path: string, schema: z.ZodType<T>, body?: unknown): Promise<T> => {
    try {
      return await requestJson({ method, path, body, token: deps.token() }, schema);
    } catch (error) {
      if (error instanceof ApiError && error.status === 401) deps.onUnauthorized();
      throw error;
    }
  };
  return {
    listSessions: () => call("GET", "/api/sessions", sessionList).then((result) => result.sessions),
    createSession: (agent: string) => call("POST", "/api/sessions", sessionView, { agent }),
    renameSession: (id: string, title: string) => call("PATCH", sessionPath(id), z.unknown(), { title }),
    deleteSession: (id: string) => call("DELETE", sessionPath(id), z.unknown()),
    ticket: (id: string) => call("POST", sessionPath(id, "ticket"), ticket, {}).then((result) => result.ticket),
    messages: (id: string) => call("GET", sessionPath(id, "messages"), messagePage).then((page) => page.messages),
    abort: (id: string) => call("POST", sessionPath(id, "abort"), z.unknown(), {}),
    answer: (id: string, questionId: string, answer: Answer) =>
      call("POST", sessionPath(id, `questions/${encodeURIComponent(questionId)}`), z.unknown(), answer),
  };
}

export function sessionPath(id: string, rest?: string): string {
  return `/api/sessions/${encodeURIComponent(id)}${rest === undefined ? "" : `/${rest}`}`;
}

async function requestJson<T>(request: Request, schema: z.ZodType<T>): Promise<T> {
  const response = await send(request);
  const text = await response.text();
  if (!response.ok) throw refused(response.status, text);
  const parsed = schema.safeParse(text === "" ? undefined : JSON.parse(text));
  if (parsed.success) return parsed.data;
  throw new ApiError(
    response.status,
    "unreadable",
    "The server's answer is not one this page can read. Reload the page.",
  );
}

async function send({ method, path, body, token }: Request): Promise<Response> {
  const headers: Record<string, string> = {};
  if (token !== undefined) headers.authorization = `Bearer ${token}`;
  if (body !== undefined) headers["content-type"] = "application/json";
  try {
    return await fetch(path, { method, headers, body: body === undefined ? undefined : JSON.stringify(body) });
  } catch {
    throw new ApiError(0, "network", "The server cannot be reached.");
  }
}
