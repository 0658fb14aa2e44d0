import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { type Api, sseChunks, streamedText } from "./api.ts";

/** SSE3: JSON that says what is wrong, the code in the header too, and nothing of our insides. */
export async function expectRefusal(response: Response, status: number, code: string): Promise<void> {
  const body: unknown = await response.json();
  expect({ status: response.status, body }).toEqual({ status, body: { code, message: expect.any(String) } });
  expect(response.headers.get("x-error-code")).toBe(code);
  expect(JSON.stringify(body)).not.toMatch(/\n\s+at |\.ts:|\.js:|Error:/);
  expect(JSON.stringify(body).length).toBeLessThan(1000);
}

/** TR14: one end, and then `[DONE]`. */
export async function expectWholeStream(response: Response): Promise<void> {
  expect(response.status).toBe(200);
  const body = await response.text();
  expect(body.endsWith("data: [DONE]\n\n")).toBe(true);
  const ends = sseChunks(body).map(({ type }) => type === "finish" || type === "error");
  expect(ends.filter(Boolean)).toHaveLength(1);
  expect(ends.at(-1)).toBe(true);
}

/** The session does what it always does. */
export async function expectUnharmed(api: Api, sessionId: string): Promise<void> {
  expect(await streamedText(await api.chat(sessionId, "/stream 3 0"))).toBe("t0 t1 t2 ");
}

/** Ids and facts are logged, never what people wrote. */
export function expectNotLogged(product: { data: string }, canary: string): void {
  const log = readFileSync(join(product.data, "private/agent-ops.log"), "utf8");
  expect(log).toContain("turn.ended");
  expect(log).not.toContain(canary);
}
