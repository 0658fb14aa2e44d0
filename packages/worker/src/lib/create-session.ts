import type { SessionView } from "@agent-ops/shared/sessions";
import type { Env } from "../env.ts";
import { unwrap } from "./result.ts";

type NewSession = { id: string; agent: string; title?: string | undefined };

/** A session, and its place in its owner's list. Making the same one twice changes nothing. */
export async function createSession(env: Env, owner: string, { id, agent, title }: NewSession): Promise<SessionView> {
  const record = { id, agent, title: title ?? "New session", status: "ready" as const, createdAt: Date.now() };
  const view = unwrap(await env.SESSIONS.getByName(id).create(record, owner));
  await env.USERS.getByName(owner).put(view);
  return view;
}
