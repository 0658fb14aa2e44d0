import { type AgentOptions, agentOptions } from "@agent-ops/shared/agent-options";
import { AppError } from "@agent-ops/shared/errors";
import type { SessionView } from "@agent-ops/shared/sessions";
import type { Env } from "../env.ts";
import type { Access } from "./access.ts";
import { unwrap } from "./result.ts";
import { isSessionId } from "./session-id.ts";

type NewSession = AgentOptions & {
  id: string;
  /** The installation's default where it is left out. */
  agent?: string | undefined;
  title?: string | undefined;
  workspace?: string | undefined;
  parentId?: string | undefined;
  orchestrator?: boolean | undefined;
};
type Relative = { user: string; role: SessionView["role"] };

/** A session, and its place in its owner's list. Making the same one twice changes nothing. */
export async function createSession(env: Env, by: Access, wanted: NewSession): Promise<SessionView> {
  const { id, agent = env.DEFAULT_AGENT ?? "demo", title, workspace, parentId, orchestrator } = wanted;
  if (parentId && orchestrator) throw new AppError("bad_request", "An orchestrator session has no parent.");
  const record = {
    id,
    agent,
    title: title ?? "New session",
    status: "ready" as const,
    createdAt: Date.now(),
    ...(title === undefined ? {} : { titledByPerson: true }),
    ...(workspace ? { workspace } : {}),
    ...agentOptions.parse(wanted),
    ...(parentId ? { parentId } : {}),
    ...(orchestrator ? { orchestrator } : {}),
  };
  const family = parentId ? await adopt(env, by, parentId, record) : [];
  const made = await env.SESSIONS.getByName(id).create(record, by.user, family);
  if (!made.ok && parentId) await env.SESSIONS.getByName(parentId).childFailed(id);
  const view = unwrap(made);
  await env.USERS.getByName(by.user).put(view);
  return view;
}

/** LIFE4: the parent lists the child, and its members are members of both. */
async function adopt(
  env: Env,
  by: Access,
  parentId: string,
  { id, title, status }: { id: string; title: string; status: string },
): Promise<Relative[]> {
  if (!(await isSessionId(env.ID_SECRET, parentId))) throw new AppError("not_found", "There is no such session.");
  return unwrap(await env.SESSIONS.getByName(parentId).adopt(by, { childSessionId: id, title, status }));
}
