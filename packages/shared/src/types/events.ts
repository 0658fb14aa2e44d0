import { z } from "zod";
import { LIMITS } from "../limits.ts";
import { finishReason, message, toolStatus, usage } from "./message-parts.ts";
import { askedQuestion, question, questionResolution } from "./questions.ts";
import { childInfo, sessionStatus, sessionView } from "./sessions.ts";

const TURN_ID_CHARS = 128;
const turnId = z.string().min(1).max(TURN_ID_CHARS);

export const messageCreate = z.object({
  type: z.literal("message.create"),
  turnId,
  channelType: z.string().optional(),
  channelId: z.string().optional(),
  agentSessionId: z.string().optional(),
});
export const textDelta = z.object({ type: z.literal("message.part.text-delta"), turnId, delta: z.string() });
export const reasoningDelta = z.object({ type: z.literal("message.part.reasoning-delta"), turnId, delta: z.string() });
export const toolUpdate = z.object({
  type: z.literal("message.part.tool-update"),
  turnId,
  callId: z.string().min(1),
  toolName: z.string().min(1),
  status: toolStatus,
  args: z.unknown().optional(),
  argsDelta: z.string().optional(),
  result: z.unknown().optional(),
  preliminary: z.boolean().optional(),
  error: z.string().optional(),
});
export type ToolUpdate = z.infer<typeof toolUpdate>;
export const messageStep = z.object({ type: z.literal("message.step"), turnId, nodeId: z.string().optional() });
export const messageFinalize = z.object({
  type: z.literal("message.finalize"),
  turnId,
  reason: finishReason,
  finalText: z.string().optional(),
  error: z.string().optional(),
  usage: usage.optional(),
});
export type MessageFinalize = z.infer<typeof messageFinalize>;
export const complete = z.object({ type: z.literal("complete"), turnId: turnId.optional() });
export const agentStatus = z.object({
  type: z.literal("agentStatus"),
  turnId: turnId.optional(),
  status: z.enum(["idle", "thinking", "streaming", "tool_calling", "error"]),
  detail: z.string().optional(),
});
export const questionAsked = question.extend({ type: z.literal("question") });
export const errorEvent = z.object({
  type: z.literal("error"),
  turnId: turnId.optional(),
  code: z.string().optional(),
  message: z.string(),
});
export const chunkEvent = z.object({
  type: z.literal("chunk"),
  turnId: turnId.optional(),
  content: z.string(),
  messageId: z.string().optional(),
});
const titleEvent = z.object({ type: z.literal("title"), title: z.string() });
const gitState = z.looseObject({
  type: z.literal("git-state"),
  branch: z.string().optional(),
  baseBranch: z.string().optional(),
  commitCount: z.number().optional(),
  dirty: z.boolean().optional(),
});
export type GitState = z.infer<typeof gitState>;
/** The answer to a `diff` command: for whoever asked, and not part of the log. */
export const diffEvent = z.looseObject({ type: z.literal("diff"), requestId: z.string(), files: z.array(z.unknown()) });
export type DiffEvent = z.infer<typeof diffEvent>;
const filesChanged = z.looseObject({ type: z.literal("files-changed") });
const reviewResult = z.looseObject({ type: z.literal("review-result"), requestId: z.string() });
export type ReviewResult = z.infer<typeof reviewResult>;
const childSession = z.looseObject({
  type: z.literal("child-session"),
  childSessionId: z.string().min(1).max(128),
  title: z.string().optional(),
  status: z.string().max(64).optional(),
});
export type ChildSessionEvent = z.infer<typeof childSession>;
const modelsEvent = z.looseObject({ type: z.literal("models") });
export type ModelsEvent = z.infer<typeof modelsEvent>;
const agentCommand = z.object({
  name: z.string().min(1).max(LIMITS.commandNameChars),
  description: z.string().max(LIMITS.commandTextChars),
  /** What may follow the name. */
  hint: z.string().max(LIMITS.commandTextChars).optional(),
});
export type AgentCommand = z.infer<typeof agentCommand>;
/** The slash commands that the agent takes at the beginning of a prompt. */
export const commandsEvent = z.object({
  type: z.literal("commands"),
  commands: z.array(agentCommand).max(LIMITS.commands),
});
export type CommandsEvent = z.infer<typeof commandsEvent>;
/** Something about the agent that belongs in the audit log. */
const auditNote = z.object({
  type: z.literal("audit"),
  action: z.string().min(1).max(64),
  detail: z.string().max(500).optional(),
});
const ping = z.object({ type: z.literal("ping") });

/** What a runner says about its session. */
export const runnerEvent = z.discriminatedUnion("type", [
  messageCreate,
  textDelta,
  reasoningDelta,
  toolUpdate,
  messageStep,
  messageFinalize,
  complete,
  agentStatus,
  questionAsked,
  errorEvent,
  chunkEvent,
  titleEvent,
  gitState,
  diffEvent,
  filesChanged,
  reviewResult,
  childSession,
  modelsEvent,
  commandsEvent,
  auditNote,
  ping,
]);
export type RunnerEvent = z.infer<typeof runnerEvent>;

/** A person's message entered the history; its turn begins. */
export const messageEvent = z.object({ type: z.literal("message"), message });
/** A message of the history changed or left it. */
export const messageUpdated = z.object({
  type: z.literal("message.updated"),
  messageId: z.string(),
  message: message.optional(),
  removed: z.boolean().optional(),
});
export const statusEvent = z.object({
  type: z.literal("status"),
  status: sessionStatus,
  detail: z.string().optional(),
});
export const questionResolved = questionResolution.extend({
  type: z.literal("question.resolved"),
  questionId: z.string(),
  turnId,
});
export const queueItem = z.object({ promptId: z.string(), turnId, userId: z.string(), text: z.string() });
export type QueueItem = z.infer<typeof queueItem>;
export const queueState = z.object({ type: z.literal("queue.state"), items: z.array(queueItem) });
export const auditEntry = z.object({
  ts: z.number(),
  userId: z.string(),
  action: z.string(),
  detail: z.string().optional(),
});
export type AuditEntry = z.infer<typeof auditEntry>;
export const auditLog = z.object({ type: z.literal("audit_log"), entry: auditEntry });

/** What the session itself adds to the log. */
export const sessionEvent = z.discriminatedUnion("type", [
  messageEvent,
  messageUpdated,
  statusEvent,
  questionResolved,
  queueState,
  auditLog,
  titleEvent,
]);
export type SessionEvent = z.infer<typeof sessionEvent>;

/** A type nobody here knows: kept and passed on as it came. */
export type UnknownEvent = { type: string; [key: string]: unknown };

type Delta = z.infer<typeof textDelta | typeof reasoningDelta>;

/**
 * A delta as its schema has it, and undefined for anything else. Nearly all events are deltas, and where nothing may be
 * compiled, as on workerd, a schema takes longer to read one than all that is done with it.
 */
export function readDelta({ type, turnId: turn, delta }: UnknownEvent): Delta | undefined {
  if (type !== "message.part.text-delta" && type !== "message.part.reasoning-delta") return undefined;
  if (typeof delta !== "string" || typeof turn !== "string") return undefined;
  return turn.length >= 1 && turn.length <= TURN_ID_CHARS ? { type, turnId: turn, delta } : undefined;
}

export const KNOWN_RUNNER_TYPES: ReadonlySet<string> = new Set(
  runnerEvent.options.map((option) => option.shape.type.value),
);
const KNOWN_SESSION_TYPES: ReadonlySet<string> = new Set(sessionEvent.options.map((option) => option.shape.type.value));

export type LogPayload = RunnerEvent | SessionEvent | UnknownEvent;
/** An event of the log: numbered from 1 without gaps, stamped in milliseconds. */
export type LogEvent = LogPayload & { seq: number; ts: number };
export type KnownLogPayload = RunnerEvent | SessionEvent;

/** Narrows a payload that was validated on its way into the log. */
export function isKnownEvent(event: LogPayload): event is KnownLogPayload {
  return KNOWN_RUNNER_TYPES.has(event.type) || KNOWN_SESSION_TYPES.has(event.type);
}

const userPresence = z.object({ userId: z.string(), connections: z.number() });
export type UserPresence = z.infer<typeof userPresence>;

/** The whole state for a reader that starts here; what follows has a greater seq. */
export const initEvent = z.object({
  type: z.literal("init"),
  generation: z.number(),
  seq: z.number(),
  session: sessionView,
  /** The newest page of the history. */
  messages: z.array(message),
  /** Where older messages are, if there are any: `GET .../messages?format=v2&before=`. */
  before: z.number().optional(),
  /** The turn that runs now, if any; its message is the last one of `messages`. */
  activeTurnId: z.string().optional(),
  queue: z.array(queueItem),
  /** Those that the messages name, with what became of them; one without a resolution is open. */
  questions: z.array(askedQuestion),
  people: z.array(userPresence),
  audit: z.array(auditEntry),
  children: z.array(childInfo),
  /** The latest of each that the runner told. */
  models: modelsEvent.optional(),
  commands: commandsEvent.optional(),
  gitState: gitState.optional(),
  review: reviewResult.optional(),
});
export type InitEvent = z.infer<typeof initEvent>;

/** Frames to one reader that are not part of the log and carry no seq. */
export const readerEvent = z.discriminatedUnion("type", [
  initEvent,
  z.object({ type: z.literal("hello"), generation: z.number(), seq: z.number(), people: z.array(userPresence) }),
  z.object({ type: z.literal("rewind"), generation: z.number(), seq: z.number() }),
  z.object({ type: z.literal("user.joined"), userId: z.string(), people: z.array(userPresence) }),
  z.object({ type: z.literal("user.left"), userId: z.string(), people: z.array(userPresence) }),
  diffEvent,
  z.object({ type: z.literal("accepted"), promptId: z.string(), turnId, queued: z.boolean() }),
  z.object({ type: z.literal("toast"), level: z.enum(["info", "warning", "error"]), message: z.string() }),
  errorEvent.extend({ re: z.string().optional() }),
  z.object({ type: z.literal("pong") }),
]);
export type ReaderEvent = z.infer<typeof readerEvent>;

/** Anything a V2 WebSocket reader can receive. */
export type ClientBoundEvent = LogEvent | ReaderEvent;

export function hasSeq(event: ClientBoundEvent): event is LogEvent {
  return "ts" in event && "seq" in event;
}
