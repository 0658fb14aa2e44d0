import { agentOptions, apiKey } from "@agent-ops/shared/agent-options";
import { promptInput } from "@agent-ops/shared/frames";
import { LIMITS } from "@agent-ops/shared/limits";
import { z } from "zod";

/** What a client may choose about its stream. Older clients break a query, so headers and body fields say the same. */
export const chatOptions = z.object({
  approvals: z.enum(["question", "native"]).default("question"),
  onDisconnect: z.enum(["abort", "detach"]).optional(),
  /** The name that the client has for its chat. */
  chatId: z.string().optional(),
  channelId: z.string().min(1).max(128).optional(),
  events: z.enum(["named"]).optional(),
  /** Whether the client wants what is of use for the moment alone; not its to say, but seen from its request. */
  transient: z.boolean().optional(),
});
export type ChatOptions = z.infer<typeof chatOptions>;

const approvalAnswer = z.object({ questionId: z.string(), approved: z.boolean(), reason: z.string().optional() });

/** A chat request as the session understands it. */
export const chatCommand = z.discriminatedUnion("kind", [
  /** `edits`: this message takes the place of the one with the same id, and what followed it goes. */
  z.object({
    kind: z.literal("prompt"),
    prompt: promptInput,
    apiKey: apiKey.optional(),
    edits: z.boolean(),
    options: chatOptions,
  }),
  /** The answer to a prompt once more; `turnId` is the answer that goes, or else the last one. */
  z.object({
    kind: z.literal("regenerate"),
    promptId: z.string().optional(),
    turnId: z.string().optional(),
    /** What this request says of the agent counts before what the prompt said. */
    agent: agentOptions.optional(),
    apiKey: apiKey.optional(),
    options: chatOptions,
  }),
  /** Answers to approvals; the stream goes on after the last of them. */
  z.object({ kind: z.literal("answers"), answers: z.array(approvalAnswer).min(1), options: chatOptions }),
]);
export type ChatCommand = z.infer<typeof chatCommand>;

/** Where a resumed stream begins. */
export const resumeCommand = z.object({
  /** A turn's id, or any other name for the chat: then the active turn is meant. */
  chatId: z.string(),
  startIndex: z.number().int().nonnegative().optional(),
  /** Who asks knows that there was no session when they began to wait. */
  fresh: z.boolean().optional(),
  waitSeconds: z.number().min(0).max(LIMITS.waitSeconds).optional(),
  options: chatOptions,
});
export type ResumeCommand = z.infer<typeof resumeCommand>;
