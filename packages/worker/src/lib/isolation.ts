import { AppError } from "@agent-ops/shared/errors";
import type { Env } from "../env.ts";

/** SEC2: where agents can read each other's files, so can the people who use them. */
export async function requireIsolation(env: Env, sessionId: string): Promise<void> {
  if (env.TRUST_AGENTS === "true" || (await env.POOL.getByName("pool").isolation(sessionId)) !== "none") return;
  const remedy = "Run the runner as root, or start with --trust-agents.";
  throw new AppError("forbidden", `Agents here are not kept apart, so sessions are not shared. ${remedy}`);
}
