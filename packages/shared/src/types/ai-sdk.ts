/**
 * The part of the AI SDK's UI message stream that this system emits. The keys are the smallest set that every client
 * from version 5 on accepts; the tests hold these types against the SDK's own schema.
 */
export type UIChunk =
  | { type: "start"; messageId: string }
  | { type: "start-step" }
  | { type: "finish-step" }
  | { type: "text-start"; id: string }
  | { type: "text-delta"; id: string; delta: string }
  | { type: "text-end"; id: string }
  | { type: "reasoning-start"; id: string }
  | { type: "reasoning-delta"; id: string; delta: string }
  | { type: "reasoning-end"; id: string }
  | ({ type: "tool-input-start"; toolName: string } & ServerTool)
  | { type: "tool-input-delta"; toolCallId: string; inputTextDelta: string }
  | ({ type: "tool-input-available"; toolName: string; input: unknown } & ServerTool)
  | ({ type: "tool-output-available"; output: unknown; preliminary?: true } & ServerTool)
  | ({ type: "tool-output-error"; errorText: string } & ServerTool)
  | { type: "tool-output-denied"; toolCallId: string }
  | { type: "tool-approval-request"; approvalId: string; toolCallId: string }
  | { type: `data-${string}`; id?: string; data: unknown; transient?: true }
  | { type: "message-metadata"; messageMetadata: Record<string, unknown> }
  | { type: "error"; errorText: string }
  | { type: "abort" }
  | { type: "finish"; finishReason?: "tool-calls" | "error" | "other"; messageMetadata?: Record<string, unknown> };

/** Our tools run on the server and are named at run time: clients must neither execute nor expect them. */
type ServerTool = { toolCallId: string; providerExecuted: true; dynamic: true };
