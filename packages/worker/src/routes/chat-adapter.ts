import { AppError } from "@agent-ops/shared/errors";
import { LIMITS } from "@agent-ops/shared/limits";
import { z } from "zod";
import type { Access } from "../lib/access.ts";
import { actorRequest } from "../lib/actor-request.ts";
import type { ChatCommand, ResumeCommand } from "../lib/chat-command.ts";
import { type ChatBody, parseChatBody, toChatCommand } from "../lib/chat-request.ts";
import { createSession } from "../lib/create-session.ts";
import { readLimited } from "../lib/read-limited.ts";
import { readChatOptions } from "../lib/request-options.ts";
import { chatSessionId } from "../lib/session-id.ts";
import { isWellFormed } from "../lib/well-formed.ts";
import { type App, pathParam, type RouteContext, route } from "./methods.ts";
import { type SessionStub, sessionStub } from "./session-stub.ts";

const wholeNumber = z.stringFormat("whole-number", /^\d{1,15}$/).transform(Number);
const resumeQuery = z.object({
  startIndex: wholeNumber.optional(),
  wait: wholeNumber.pipe(z.number().max(LIMITS.waitSeconds)).optional(),
});

/** SSE1: the session's actor answers with the stream itself; this route only finds out who asks and for what. */
async function chat(context: RouteContext): Promise<Response> {
  const stub = await sessionStub(context);
  const { command } = await readChat(context);
  return post(stub, context.var.access, command);
}

async function readChat(context: RouteContext): Promise<{ command: ChatCommand; chatId: string | undefined }> {
  const body = parseChatBody(await readLimited(context.req.raw));
  const options = { ...readChatOptions(context.req.raw, body), chatId: body.id, transient: !countsChunks(body) };
  const command = toChatCommand(body, options, () => crypto.randomUUID());
  if (!isWellFormed(command)) throw new AppError("bad_request", "The prompt has half of a surrogate pair in it.");
  return { command, chatId: body.id };
}

/**
 * SSE8: the SDK's WorkflowChatTransport comes back by the number of all chunks it got, so it must get only those that
 * are counted. Unlike all others it sends neither an `id` nor a `trigger`.
 */
function countsChunks({ id, trigger }: ChatBody): boolean {
  return id === undefined && trigger === undefined;
}

function post(stub: SessionStub, by: Access, command: ChatCommand): Promise<Response> {
  return stub.fetch(actorRequest("/chat", by, { method: "POST", body: JSON.stringify(command) }));
}

/** SSE6, SSE8, SSE9 */
async function resume(context: RouteContext): Promise<Response> {
  return resumeFrom(context, await sessionStub(context), readResume(context));
}

function readResume(context: RouteContext): ResumeCommand {
  const query = resumeQuery.safeParse(context.req.query());
  if (!query.success) throw new AppError("bad_request", z.prettifyError(query.error));
  const { startIndex, wait } = query.data;
  const options = readChatOptions(context.req.raw);
  return { chatId: pathParam(context, "chatId"), startIndex, waitSeconds: wait, options };
}

function resumeFrom(context: RouteContext, stub: SessionStub, command: ResumeCommand): Promise<Response> {
  const init = { method: "POST", body: JSON.stringify(command) };
  return stub.fetch(actorRequest("/chat/stream", context.var.access, init));
}

/** SSE10: useChat's default URL. The body's `id` names the session, which is made at its first use. */
async function defaultChat(context: RouteContext): Promise<Response> {
  const { command, chatId } = await readChat(context);
  if (chatId === undefined) throw new AppError("bad_request", "The request needs `id`, the chat's own name.");
  const {
    env,
    var: { user },
  } = context;
  const id = await chatSessionId(env.ID_SECRET, user, chatId);
  const stub = env.SESSIONS.getByName(id);
  if (!(await env.USERS.getByName(user).has(id))) await createSession(env, context.var.access, { id });
  return withSessionId(await post(stub, context.var.access, command), id);
}

async function defaultResume(context: RouteContext): Promise<Response> {
  const {
    env,
    var: { user },
  } = context;
  const command = readResume(context);
  const id = await chatSessionId(env.ID_SECRET, user, command.chatId);
  const isThere = () => env.USERS.getByName(user).has(id);
  const join = async (wanted: ResumeCommand) =>
    withSessionId(await resumeFrom(context, env.SESSIONS.getByName(id), wanted), id);
  if (await isThere()) return join(command);
  for (let waitSeconds = command.waitSeconds ?? 0; waitSeconds > 0; waitSeconds -= 1) {
    await new Promise((resolve) => setTimeout(resolve, 1000));
    if (await isThere()) return join({ ...command, waitSeconds, fresh: true });
  }
  return new Response(null, { status: 204 });
}

function withSessionId(response: Response, id: string): Response {
  const named = new Response(response.body, response);
  named.headers.set("x-chat-session-id", id);
  return named;
}

export function chatRoutes(app: App): void {
  route(app, "/api/chat", { POST: defaultChat });
  route(app, "/api/chat/:chatId/stream", { GET: defaultResume });
  route(app, "/api/sessions/:id/chat", {
    POST: chat,
    GET: () => {
      throw new AppError("bad_request", "Without an upgrade to a WebSocket, POST is meant.");
    },
  });
  route(app, "/api/sessions/:id/chat/:chatId/stream", { GET: resume });
}
