import { z } from "zod";

const tokens = z.looseObject({
  input: z.number().default(0),
  output: z.number().default(0),
  reasoning: z.number().default(0),
  cache: z.looseObject({ read: z.number().default(0), write: z.number().default(0) }).optional(),
});

const toolState = z.looseObject({
  status: z.enum(["pending", "running", "completed", "error"]),
  input: z.unknown().optional(),
  output: z.string().optional(),
  title: z.string().optional(),
  metadata: z.record(z.string(), z.unknown()).optional(),
  attachments: z.array(z.unknown()).optional(),
  error: z.string().optional(),
});

const ofMessage = { id: z.string(), messageID: z.string(), sessionID: z.string() };
const spoken = { ...ofMessage, text: z.string(), time: z.looseObject({ end: z.number().optional() }).optional() };
const toolPart = z.looseObject({
  ...ofMessage,
  type: z.literal("tool"),
  tool: z.string(),
  callID: z.string(),
  state: toolState,
});
export type ToolPart = z.infer<typeof toolPart>;

/** The parts of a message that mean something outside of OpenCode. */
export const knownPart = z.discriminatedUnion("type", [
  z.looseObject({ ...spoken, type: z.literal("text") }),
  z.looseObject({ ...spoken, type: z.literal("reasoning") }),
  toolPart,
  z.looseObject({ ...ofMessage, type: z.literal("step-start") }),
  z.looseObject({ ...ofMessage, type: z.literal("step-finish"), tokens, cost: z.number().default(0) }),
]);
export type KnownPart = z.infer<typeof knownPart>;

const failure = z.looseObject({
  name: z.string(),
  data: z.looseObject({ message: z.string().optional() }).optional(),
});
export type Failure = z.infer<typeof failure>;

const toolReference = z.looseObject({ messageID: z.string(), callID: z.string() });
const permission = z.looseObject({
  id: z.string(),
  sessionID: z.string(),
  permission: z.string(),
  patterns: z.array(z.string()).default([]),
  metadata: z.record(z.string(), z.unknown()).default({}),
  tool: toolReference.optional(),
});
export type Permission = z.infer<typeof permission>;

const askedItem = z.looseObject({
  question: z.string(),
  header: z.string().optional(),
  options: z.array(z.looseObject({ label: z.string(), description: z.string().optional() })).default([]),
  multiple: z.boolean().optional(),
});
export type AskedItem = z.infer<typeof askedItem>;
const asked = z.looseObject({
  id: z.string(),
  sessionID: z.string(),
  questions: z.array(askedItem),
  tool: toolReference.optional(),
});
export type Asked = z.infer<typeof asked>;

const messageInfo = z.looseObject({
  id: z.string(),
  role: z.string(),
  parentID: z.string().optional(),
  summary: z.unknown().optional(),
  error: failure.optional(),
  time: z.looseObject({ completed: z.number().optional() }),
});
const sessionInfo = z.looseObject({ id: z.string(), title: z.string(), parentID: z.string().optional() });

function event<Type extends string, Properties extends z.ZodType>(type: Type, properties: Properties) {
  return z.looseObject({ type: z.literal(type), properties });
}

const sessionID = z.string();
const status = z.looseObject({
  type: z.string(),
  attempt: z.number().optional(),
  message: z.string().optional(),
});

/** What the server's `/event` stream says, as far as it means something here. */
export const openCodeEvent = z.discriminatedUnion("type", [
  event("session.created", z.looseObject({ info: sessionInfo })),
  event("session.updated", z.looseObject({ info: sessionInfo })),
  event("session.status", z.looseObject({ sessionID, status })),
  event("session.idle", z.looseObject({ sessionID })),
  event("session.error", z.looseObject({ sessionID: sessionID.optional(), error: failure.optional() })),
  event("message.updated", z.looseObject({ sessionID, info: messageInfo })),
  event(
    "message.part.updated",
    z.looseObject({ sessionID, part: z.looseObject({ type: z.string(), sessionID, messageID: z.string() }) }),
  ),
  event(
    "message.part.delta",
    z.looseObject({ sessionID, messageID: z.string(), partID: z.string(), field: z.string(), delta: z.string() }),
  ),
  event("permission.asked", permission),
  event("question.asked", asked),
]);
export type OpenCodeEvent = z.infer<typeof openCodeEvent>;

export const KNOWN_TYPES: ReadonlySet<string> = new Set(openCodeEvent.options.map((option) => option.shape.type.value));

/** Events that repeat what others say, or are about the server itself. */
const NOISE =
  /^(server|plugin|catalog|reference|integration|lsp|mcp|ide|installation|pty|tui|vcs|project|worktree|workspace|file|command|account|global)\.|^(session\.(diff|deleted|compacted)|message\.(removed|part\.removed)|permission\.(updated|replied)|question\.(replied|rejected)|todo\.updated)$/;

export function isNoise(type: string): boolean {
  return NOISE.test(type);
}
