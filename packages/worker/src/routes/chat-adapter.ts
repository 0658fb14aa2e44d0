import { actorRequest } from "../lib/actor-request.ts";
import { parseChatRequest, readLimited } from "../lib/chat-request.ts";
import { type App, type RouteContext, route } from "./methods.ts";
import { sessionStub } from "./session-stub.ts";

/** SSE1: the session's actor answers with the stream itself; this route only finds out who asks and for what. */
async function chat(context: RouteContext): Promise<Response> {
  const stub = await sessionStub(context);
  const prompt = parseChatRequest(await readLimited(context.req.raw), () => crypto.randomUUID());
  return stub.fetch(actorRequest("/chat", context.var.user, { method: "POST", body: JSON.stringify(prompt) }));
}

/** SSE6 */
async function resume(context: RouteContext): Promise<Response> {
  const stub = await sessionStub(context);
  return stub.fetch(actorRequest("/chat/stream", context.var.user));
}

export function chatRoutes(app: App): void {
  route(app, "/api/sessions/:id/chat", { POST: chat });
  route(app, "/api/sessions/:id/chat/:chatId/stream", { GET: resume });
}
