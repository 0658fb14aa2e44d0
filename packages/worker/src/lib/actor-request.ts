/** Who is asking, as the route found out. Only routes of this worker can reach an actor, so the header is trusted. */
const USER_HEADER = "x-agent-ops-user";

/** A request to an actor that carries nothing of the outer request but what the route chose. */
export function actorRequest(path: string, user: string | undefined, init: RequestInit = {}): Request {
  const headers = new Headers(init.headers);
  if (user !== undefined) headers.set(USER_HEADER, encodeURIComponent(user));
  return new Request(`https://actor${path}`, { ...init, headers });
}

export function actorUser(request: Request): string | undefined {
  const value = request.headers.get(USER_HEADER);
  return value === null ? undefined : decodeURIComponent(value);
}
