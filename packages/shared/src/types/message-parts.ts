import { z } from "zod";

export const textPart = z.object({
  type: z.literal("text"),
  text: z.string(),
  streaming: z.boolean().optional(),
  /** It came as `chunk` events; deltas that say the same again do not count. */
  chunked: z.boolean().optional(),
});
export type TextPart = z.infer<typeof textPart>;

export const reasoningPart = z.object({
  type: z.literal("reasoning"),
  text: z.string(),
  streaming: z.boolean().optional(),
});
export type ReasoningPart = z.infer<typeof reasoningPart>;

export const toolStatus = z.enum(["pending", "running", "completed", "error"]);
export type ToolStatus = z.infer<typeof toolStatus>;

export const toolCallPart = z.object({
  type: z.literal("tool-call"),
  callId: z.string(),
  toolName: z.string(),
  status: toolStatus,
  args: z.unknown().optional(),
  /** Arguments so far, while they are still arriving as text. */
  argsText: z.string().optional(),
  result: z.unknown().optional(),
  preliminary: z.boolean().optional(),
  error: z.string().optional(),
});
export type ToolCallPart = z.infer<typeof toolCallPart>;

export const stepPart = z.object({ type: z.literal("step"), nodeId: z.string().optional() });

export const questionPart = z.object({ type: z.literal("question"), questionId: z.string() });

export const finishReason = z.enum(["end_turn", "error", "canceled"]);
export type FinishReason = z.infer<typeof finishReason>;

export const finishPart = z.object({ type: z.literal("finish"), reason: finishReason });

export const errorPart = z.object({ type: z.literal("error"), message: z.string() });

export const filePart = z.object({
  type: z.literal("file"),
  mediaType: z.string(),
  filename: z.string().optional(),
  url: z.string(),
});
export type FilePart = z.infer<typeof filePart>;

export const messagePart = z.discriminatedUnion("type", [
  textPart,
  reasoningPart,
  toolCallPart,
  stepPart,
  questionPart,
  finishPart,
  errorPart,
  filePart,
]);
export type MessagePart = z.infer<typeof messagePart>;

export const usage = z.object({
  inputTokens: z.number().optional(),
  outputTokens: z.number().optional(),
  totalTokens: z.number().optional(),
  costUsd: z.number().optional(),
});
export type Usage = z.infer<typeof usage>;

export const message = z.object({
  id: z.string(),
  role: z.enum(["user", "assistant"]),
  turnId: z.string(),
  /** Who wrote it; absent for an agent. */
  userId: z.string().optional(),
  parts: z.array(messagePart),
  createdAt: z.number(),
  channelType: z.string().optional(),
  channelId: z.string().optional(),
  usage: usage.optional(),
});
export type Message = z.infer<typeof message>;
