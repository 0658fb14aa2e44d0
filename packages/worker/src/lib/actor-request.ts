import { type Access, access } from "./access.ts";

/** Who is asking, as the route found out. Only routes of this worker can reach an actor, so the header is trusted. */
const ACCESS_HEADER = "x-agent-ops-access";

/** A request to an actor that carries nothing of the outer request but what the route chose. */
export function actorRequest(path: string, by: Access | undefined, init: RequestInit = {}): Request {
  const headers = new Headers(init.headers);
  if (by) headers.set(ACCESS_HEADER, encodeURIComponent(JSON.stringify(by)));
  return new Request(`https://actor${path}`, { ...init, headers });
}

export function actorAccess(request: Request): Access | undefined {
  const value = request.headers.get(ACCESS_HEADER);
  return value === null ? undefined : access.parse(JSON.parse(decodeURIComponent(value)));
}
