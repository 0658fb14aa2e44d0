import { message } from "@agent-ops/shared/message-parts";
import { askedQuestion } from "@agent-ops/shared/questions";
import { role, sessionView } from "@agent-ops/shared/sessions";
import type { UIMessage } from "ai";
import { z } from "zod";

export const signedIn = z.object({ token: z.string(), user: z.string() });
export type SignedIn = z.infer<typeof signedIn>;

export const sessionList = z.object({ sessions: z.array(sessionView) });
export const agentList = z.object({ agents: z.array(z.string()) });
export const ticket = z.object({ ticket: z.string() });
export const diffPage = z.object({ files: z.array(z.unknown()) });

const messageShape = z.looseObject({
  id: z.string(),
  role: z.enum(["system", "user", "assistant"]),
  parts: z.array(z.looseObject({ type: z.string() })),
});
const uiMessage = z.custom<UIMessage>((value) => messageShape.safeParse(value).success);
export const uiMessagePage = z.object({ messages: z.array(uiMessage), before: z.number().optional() });
export const messagePage = z.object({
  messages: z.array(message),
  questions: z.array(askedQuestion).default([]),
  before: z.number().optional(),
});

const member = z.object({ user: z.string(), role });
export type Member = z.infer<typeof member>;
export const memberList = z.object({ members: z.array(member) });

const apiToken = z.object({ id: z.string(), name: z.string(), createdAt: z.number(), expiresAt: z.number() });
export type ApiToken = z.infer<typeof apiToken>;
export const apiTokenList = z.object({ tokens: z.array(apiToken) });
export const newApiToken = apiToken.extend({ token: z.string() });
