import { AppError } from "@agent-ops/shared/errors";
import { type PromptInput, promptInput } from "@agent-ops/shared/frames";
import { LIMITS } from "@agent-ops/shared/limits";
import { z } from "zod";

const part = z.looseObject({ type: z.string() });
const chatMessage = z.looseObject({
  id: z.string().min(1).max(128).optional(),
  role: z.string(),
  parts: z.array(part).optional(),
  content: z.union([z.string(), z.array(part)]).optional(),
});
const chatBody = z.looseObject({
  id: z.string().optional(),
  messages: z.array(chatMessage),
  trigger: z.string().optional(),
  messageId: z.string().optional(),
});

/** SSE1: the AI SDK's request, or plain `{role, content}` messages, as a prompt. Only the latest user message counts. */
export function parseChatRequest(text: string, newId: () => string): PromptInput {
  const body = readBody(text);
  const latest = body.messages.findLast((message) => message.role === "user");
  if (!latest) throw new AppError("no_messages", "The request has no user message.");
  const prompt = textOf(latest);
  if (prompt.trim() === "") throw new AppError("empty_prompt", "The latest user message has no text.");
  return promptInput.parse({ id: latest.id ?? newId(), text: prompt });
}

function readBody(text: string): z.infer<typeof chatBody> {
  const raw = readJson(text);
  const parsed = chatBody.safeParse(raw);
  if (parsed.success && parsed.data.messages.length > 0) return parsed.data;
  if (parsed.success) throw new AppError("no_messages", "The request has no messages.");
  const hasMessages = typeof raw === "object" && raw !== null && "messages" in raw;
  if (!hasMessages) throw new AppError("no_messages", "The request needs `messages`.");
  throw new AppError("bad_request", `The request is not a chat request. ${z.prettifyError(parsed.error)}`);
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new AppError("bad_json", "The body is not JSON.");
  }
}

function textOf(message: z.infer<typeof chatMessage>): string {
  if (typeof message.content === "string" && !message.parts) return message.content;
  const parts = message.parts ?? (Array.isArray(message.content) ? message.content : []);
  return parts.map((entry) => (entry.type === "text" && typeof entry.text === "string" ? entry.text : "")).join("");
}

/** What is read and thrown away of a body that is too large: a client that is cut off while it sends sees no answer. */
const DRAINED_BYTES = 64 * 1024 * 1024;

/** Reads a body, refusing more than `limit` bytes. */
export async function readLimited(request: Request, limit: number = LIMITS.chatBodyBytes): Promise<string> {
  const decoder = new TextDecoder();
  let size = 0;
  let text = "";
  for await (const bytes of request.body ?? []) {
    size += bytes.byteLength;
    if (size > DRAINED_BYTES) break;
    if (size <= limit) text += decoder.decode(bytes, { stream: true });
  }
  if (size > limit) throw new AppError("too_large", `The body has more than ${limit} bytes.`);
  return text + decoder.decode();
}
