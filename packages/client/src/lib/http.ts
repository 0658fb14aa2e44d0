import type { z } from "zod";
import { ApiError, refused } from "./api-error.ts";

export type HttpRequest = { method: string; url: string; body?: unknown; token?: string | undefined };

/** Sends a request and reads its answer as the schema says; every failure is an `ApiError`. */
export async function requestJson<T>(request: HttpRequest, schema: z.ZodType<T>): Promise<T> {
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

/** Sends a request whose answer is a stream, and leaves the stream as soon as the server has taken the request. */
export async function requestAndLeave(request: HttpRequest): Promise<void> {
  const response = await send(request);
  if (!response.ok) throw refused(response.status, await response.text());
  await response.body?.cancel();
}

async function send({ method, url, body, token }: HttpRequest): Promise<Response> {
  const headers: Record<string, string> = {};
  if (token !== undefined) headers.authorization = `Bearer ${token}`;
  if (body !== undefined) headers["content-type"] = "application/json";
  try {
    return await fetch(url, { method, headers, body: body === undefined ? undefined : JSON.stringify(body) });
  } catch {
    throw new ApiError(0, "network", "The server cannot be reached.");
  }
}
