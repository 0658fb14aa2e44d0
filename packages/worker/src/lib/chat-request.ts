import { agentOptions, apiKey } from "@agent-ops/shared/agent-options";
import { AppError } from "@agent-ops/shared/errors";
import { type PromptInput, promptInput } from "@agent-ops/shared/frames";
import { LIMITS } from "@agent-ops/shared/limits";
import type { FilePart } from "@agent-ops/shared/message-parts";
import { z } from "zod";
import type { ChatCommand, ChatOptions } from "./chat-command.ts";

const id = z.string().min(1).max(LIMITS.chatIdChars);
const part = z.looseObject({ type: z.string() });
const chatMessage = z.looseObject({
  id: id.optional(),
  role: z.string(),
  parts: z.array(part).optional(),
  content: z.union([z.string(), z.array(part)]).optional(),
});
type ChatMessage = z.infer<typeof chatMessage>;

const chatBody = z.looseObject({
  id: id.optional(),
  messages: z.array(chatMessage).max(LIMITS.chatMessages),
  trigger: z.enum(["submit-message", "regenerate-message"]).optional(),
  messageId: id.optional(),
  ...agentOptions.shape,
  apiKey: apiKey.optional(),
});
export type ChatBody = z.infer<typeof chatBody>;

const textPart = z.object({ text: z.string() });
const filePart = z.object({ url: z.string(), mediaType: z.string(), filename: z.string().optional() });

const answeredPart = z.object({
  state: z.literal("approval-responded"),
  approval: z.object({ id, approved: z.boolean(), reason: z.string().optional() }),
});

/** The AI SDK's request, or plain `{role, content}` messages. */
export function parseChatBody(text: string): ChatBody {
  return parseChatFrame(readJson(text));
}

export function parseChatFrame(raw: unknown): ChatBody {
  const parsed = chatBody.safeParse(raw);
  if (parsed.success && parsed.data.messages.length > 0) return parsed.data;
  const messages = typeof raw === "object" && raw !== null && "messages" in raw ? raw.messages : undefined;
  if (messages === undefined) throw new AppError("no_messages", "The request needs `messages`.");
  if (parsed.success) throw new AppError("no_messages", "The request has no messages.");
  throw new AppError("bad_request", `This is not a chat request. ${z.prettifyError(parsed.error).slice(0, 500)}`);
}

/** SSE1: what the request asks of the session. Only the latest user message counts, or the latest approvals. */
export function toChatCommand(body: ChatBody, options: ChatOptions, newId: () => string): ChatCommand {
  const { apiKey, messageId } = body;
  const agent = agentOptions.parse(body);
  const latest = body.messages.findLast((message) => message.role === "user");
  if (body.trigger === "regenerate-message") {
    return { kind: "regenerate", promptId: latest?.id, turnId: messageId, agent, apiKey, options };
  }
  const answers = answersOf(body.messages.at(-1));
  if (answers.length > 0) return { kind: "answers", answers, options: { ...options, approvals: "native" } };
  if (!latest) throw new AppError("no_messages", "The request has no user message.");
  const edits = latest.id !== undefined && messageId === latest.id;
  const channel = options.channelId === undefined ? undefined : { id: options.channelId };
  const prompt = promptOf(latest, { id: latest.id ?? newId(), channel, ...agent });
  return { kind: "prompt", prompt, apiKey, edits, options };
}

function promptOf(message: ChatMessage, rest: Omit<PromptInput, "text" | "attachments">): PromptInput {
  const parts = message.parts ?? (Array.isArray(message.content) ? message.content : []);
  const plain = typeof message.content === "string" && !message.parts ? message.content : undefined;
  const text = plain ?? parts.map((entry) => (entry.type === "text" ? textOf(entry) : "")).join("");
  const attachments = parts.filter((entry) => entry.type === "file").map(attachmentOf);
  if (text.trim() === "" && attachments.length === 0) {
    throw new AppError("empty_prompt", "The latest user message is empty.");
  }
  return promptInput.parse({ ...rest, text, attachments: attachments.length ? attachments : undefined });
}

function textOf(raw: z.infer<typeof part>): string {
  const parsed = textPart.safeParse(raw);
  if (!parsed.success) throw new AppError("bad_request", "A text part needs `text`, a string.");
  return parsed.data.text;
}

function attachmentOf(raw: z.infer<typeof part>): FilePart {
  const parsed = filePart.safeParse(raw);
  if (!parsed.success) throw new AppError("bad_request", "A file part needs `url` and `mediaType`, both strings.");
  if (!parsed.data.url.startsWith("data:")) {
    throw new AppError("bad_request", "Files must come as data URLs; other addresses are not fetched.");
  }
  return { type: "file", ...parsed.data };
}

function answersOf(message: ChatMessage | undefined) {
  if (message?.role !== "assistant") return [];
  return (message.parts ?? []).flatMap((entry) => {
    const answered = answeredPart.safeParse(entry).data;
    if (!answered) return [];
    const { id: questionId, approved, reason } = answered.approval;
    return [{ questionId, approved, ...(reason === undefined ? {} : { reason }) }];
  });
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new AppError("bad_json", "The body is not JSON.");
  }
}
