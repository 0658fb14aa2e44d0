import { z } from "zod";

/** What agents send in `session/update`, read for what we need of it and no stricter: agents add to it as they like. */
const text = z.string().nullish();

const contentBlock = z.looseObject({ type: z.string(), text: z.string().optional() });
export type ContentBlock = z.infer<typeof contentBlock>;

const toolContent = z.looseObject({ type: z.string(), content: contentBlock.optional() });
export type ToolContent = z.infer<typeof toolContent>;

const terminalData = z.looseObject({ data: z.string().optional() }).optional();

/** A call's own notes, in which some agents say more than in the fields that the protocol has. */
const toolNotes = z.looseObject({
  claudeCode: z.looseObject({ toolName: z.string().optional() }).optional(),
  terminal_output: terminalData,
  terminal_output_delta: terminalData,
  terminal_exit: z.looseObject({ exit_code: z.number().nullish() }).optional(),
});

const toolCall = z.looseObject({
  toolCallId: z.string().min(1),
  title: text,
  name: text,
  kind: text,
  status: z.enum(["pending", "in_progress", "completed", "failed"]).nullish().catch(undefined),
  content: z.array(toolContent).nullish(),
  locations: z.array(z.unknown()).nullish(),
  rawInput: z.unknown().optional(),
  rawOutput: z.unknown().optional(),
  _meta: toolNotes.nullish().catch(undefined),
});
export type ToolCall = z.infer<typeof toolCall>;

const chunk = (kind: string) => z.looseObject({ sessionUpdate: z.literal(kind), content: contentBlock });
const kindOf = <Kind extends string>(kind: Kind) => z.literal(kind);

export const sessionUpdate = z.discriminatedUnion("sessionUpdate", [
  chunk("agent_message_chunk").extend({ sessionUpdate: kindOf("agent_message_chunk") }),
  chunk("agent_thought_chunk").extend({ sessionUpdate: kindOf("agent_thought_chunk") }),
  toolCall.extend({ sessionUpdate: kindOf("tool_call") }),
  toolCall.extend({ sessionUpdate: kindOf("tool_call_update") }),
  z.looseObject({ sessionUpdate: kindOf("plan"), entries: z.array(z.unknown()) }),
  z.looseObject({
    sessionUpdate: kindOf("usage_update"),
    cost: z.looseObject({ amount: z.number(), currency: z.string() }).nullish(),
  }),
  z.looseObject({ sessionUpdate: kindOf("session_info_update"), title: text }),
]);
export type SessionUpdate = z.infer<typeof sessionUpdate>;

/** Known, and of no concern to the people in a session. */
export const SILENT_UPDATES: ReadonlySet<string> = new Set([
  "user_message_chunk",
  "available_commands_update",
  "current_mode_update",
  "config_option_update",
  "notice",
  "compaction_update",
]);

/** How a turn ended, as the response to `session/prompt` says it. */
export const promptResponse = z.looseObject({
  stopReason: z.string(),
  usage: z
    .looseObject({ inputTokens: z.number(), outputTokens: z.number(), totalTokens: z.number() })
    .partial()
    .nullish()
    .catch(undefined),
  _meta: z
    .looseObject({
      quota: z
        .looseObject({ token_count: z.looseObject({ input_tokens: z.number(), output_tokens: z.number() }).partial() })
        .optional(),
    })
    .nullish()
    .catch(undefined),
});
export type PromptResponse = z.infer<typeof promptResponse>;

/** Told whenever it changes, also between turns. */
export const commandsUpdate = z.looseObject({
  sessionUpdate: kindOf("available_commands_update"),
  availableCommands: z.array(
    z.looseObject({
      name: z.string().min(1),
      description: text,
      input: z.looseObject({ hint: text }).nullish().catch(undefined),
    }),
  ),
});

const permissionOption = z.looseObject({ optionId: z.string(), name: z.string(), kind: z.string() });
export type PermissionOption = z.infer<typeof permissionOption>;
export const permissionRequest = z.looseObject({ toolCall, options: z.array(permissionOption).min(1) });
export type PermissionRequest = z.infer<typeof permissionRequest>;
