import { z } from "zod";
import { agentOptions, apiKey } from "./agent-options.ts";
import { KNOWN_RUNNER_TYPES, type RunnerEvent, readDelta, runnerEvent, type UnknownEvent } from "./events.ts";
import { filePart } from "./message-parts.ts";
import { answer } from "./questions.ts";

const id = z.string().min(1).max(128);

/** What a person asks of the agent. */
export const promptInput = z.object({
  id,
  text: z.string(),
  attachments: z.array(filePart).optional(),
  channel: z.object({ type: z.string().optional(), id: z.string() }).optional(),
  ...agentOptions.shape,
});
export type PromptInput = z.infer<typeof promptInput>;

/** From a reader of the V2 socket. */
export const clientCommand = z.discriminatedUnion("type", [
  promptInput.extend({ type: z.literal("prompt"), apiKey: apiKey.optional() }),
  z.object({ type: z.literal("abort"), turnId: id.optional() }),
  z.object({ type: z.literal("answer"), questionId: id, answer: z.unknown() }),
  z.object({ type: z.literal("withdraw"), promptId: id }),
  z.object({ type: z.literal("set-title"), title: z.string() }),
  z.object({ type: z.literal("diff"), requestId: id }),
  z.object({ type: z.literal("review"), requestId: id }),
  z.object({ type: z.literal("ping") }),
  z.object({ type: z.literal("ack"), seq: z.number().int().nonnegative() }),
]);
export type ClientCommand = z.infer<typeof clientCommand>;

const chatRequest = {
  requestId: id,
  id: z.string(),
  headers: z.record(z.string(), z.string()),
  body: z.looseObject({}),
};

/** From the AI SDK's WebSocketChatTransport. */
export const chatFrame = z.discriminatedUnion("type", [
  z.looseObject({ type: z.literal("send"), ...chatRequest }),
  z.looseObject({ type: z.literal("resume"), ...chatRequest, lastSequence: z.number().int().nonnegative().optional() }),
  z.object({ type: z.literal("abort"), requestId: id }),
]);
export type ChatFrame = z.infer<typeof chatFrame>;

/** From the session to its runner. */
export const runnerCommand = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("assign"),
    sessionId: z.string(),
    epoch: z.number(),
    agent: z.string(),
    workspace: z.string().optional(),
    agentSessionId: z.string().optional(),
    /** The turn the session believes to be running, if any. */
    turnId: id.optional(),
    /** Whether the session ever got that turn's `message.create`; if not, `prompt` follows. */
    turnStarted: z.boolean().optional(),
  }),
  promptInput.omit({ id: true }).extend({
    type: z.literal("prompt"),
    turnId: id,
    userId: z.string(),
    /** The turn's place in the history, and which places were replaced, each range with its last one. */
    history: z.object({ place: z.number(), removed: z.array(z.tuple([z.number(), z.number()])) }).optional(),
    /** Whether a key came with the prompt; where `apiKey` is missing all the same, it was lost. */
    withKey: z.boolean().optional(),
    apiKey: apiKey.optional(),
  }),
  z.object({ type: z.literal("abort"), turnId: id }),
  z.object({ type: z.literal("answer"), turnId: id, questionId: id, answer }),
  /** The event of the same name, `diff` or `review-result`, answers with the same `requestId`. */
  z.object({ type: z.literal("diff"), requestId: id }),
  z.object({ type: z.literal("review"), requestId: id }),
  /** Everything up to `seq` is stored; with `resend`, what comes after it is wanted again. */
  z.object({ type: z.literal("ack"), seq: z.number(), resend: z.boolean().optional() }),
  z.object({ type: z.literal("release") }),
  z.object({ type: z.literal("error"), message: z.string() }),
  z.object({ type: z.literal("refused"), message: z.string() }),
  z.object({ type: z.literal("pong") }),
]);
export type RunnerCommand = z.infer<typeof runnerCommand>;
export type AssignCommand = Extract<RunnerCommand, { type: "assign" }>;
export type TurnHistory = NonNullable<PromptCommand["history"]>;
export type PromptCommand = Extract<RunnerCommand, { type: "prompt" }>;

/** Any event, known or not. It is not copied: what is known of it is checked later. */
const anyEvent = z.custom<UnknownEvent>((raw) => typeof raw === "object" && raw !== null && hasType(raw));

function hasType(raw: object): boolean {
  return "type" in raw && typeof raw.type === "string";
}

/** From a runner: events numbered `seq`, `seq + 1`, ... under the runner's lease. */
export const runnerFrame = z.object({
  epoch: z.number().int(),
  seq: z.number().int().positive(),
  events: z.array(anyEvent),
});
export type RunnerFrame = z.infer<typeof runnerFrame>;

/** Whether the agents of a host run under users of their own, apart from each other and from the runner. */
export const isolation = z.enum(["user", "none"]);
export type Isolation = z.infer<typeof isolation>;

/** From a runner host to the pool. */
export const hostCommand = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("hello"),
    agents: z.array(z.string()),
    /** Those it runs, and those it still holds events of. */
    sessions: z.array(z.string()),
    /** How many sessions it takes at the most. */
    capacity: z.number().int().positive().optional(),
    isolation: isolation.default("none"),
  }),
  /** It takes no more sessions, and leaves when its turns have ended. */
  z.object({ type: z.literal("draining") }),
  z.object({ type: z.literal("closed"), sessionId: z.string(), epoch: z.number() }),
  /** Nothing of a deleted session is left here. */
  z.object({ type: z.literal("forgotten"), sessionId: z.string() }),
  z.object({ type: z.literal("ping") }),
]);
export type HostCommand = z.infer<typeof hostCommand>;

/** From the pool to a runner host. */
export const poolCommand = z.discriminatedUnion("type", [
  z.object({ type: z.literal("welcome") }),
  z.object({ type: z.literal("open"), sessionId: z.string(), epoch: z.number() }),
  /** The session is no longer this host's. */
  z.object({ type: z.literal("close"), sessionId: z.string() }),
  /** The session was deleted: nothing of it may stay, its workspace included. */
  z.object({ type: z.literal("forget"), sessionId: z.string() }),
  z.object({ type: z.literal("pong") }),
]);
export type PoolCommand = z.infer<typeof poolCommand>;

/** Close codes between a runner and the worker. */
export const CLOSE = {
  /** The session does not exist any more. */
  gone: 4404,
  /** The lease is no longer this runner's; on a host's own socket: another host has its name. */
  taken: 4409,
  /** From a runner that is going down: it took nothing that it has not told of. */
  leaving: 4503,
} as const;

export type ParsedRunnerEvent =
  | { kind: "known"; event: RunnerEvent }
  | { kind: "unknown"; event: UnknownEvent }
  | { kind: "invalid"; message: string };

export function parseRunnerEvent(raw: UnknownEvent): ParsedRunnerEvent {
  const delta = readDelta(raw);
  if (delta) return { kind: "known", event: delta };
  if (!KNOWN_RUNNER_TYPES.has(raw.type)) {
    Reflect.deleteProperty(raw, "__proto__"); // what it would do to whoever merges events is nobody's wish
    return { kind: "unknown", event: raw };
  }
  const parsed = runnerEvent.safeParse(raw);
  if (parsed.success) return { kind: "known", event: parsed.data };
  return { kind: "invalid", message: `${raw.type}: ${z.prettifyError(parsed.error)}` };
}

/** Reads a text frame that holds one object or an array of them. */
export function parseJsonFrame(text: string): unknown[] | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? value : [value];
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
