import { AppError } from "@agent-ops/shared/errors";
import type { Env } from "../env.ts";
import { isSessionId } from "../lib/session-id.ts";
import { pathParam, type RouteContext } from "./methods.ts";

export type SessionStub = ReturnType<Env["SESSIONS"]["getByName"]>;

/** ACL2: the actor of the session named in the path; an id that we never made reaches no actor. */
export async function sessionStub(context: RouteContext): Promise<SessionStub> {
  const id = pathParam(context, "id");
  if (!(await isSessionId(context.env.ID_SECRET, id))) throw new AppError("not_found", "There is no such session.");
  return context.env.SESSIONS.getByName(id);
}

export function requireUpgrade(context: RouteContext): void {
  if (context.req.header("upgrade")?.toLowerCase() === "websocket") return;
  throw new AppError("bad_request", "This is a WebSocket address.");
}
