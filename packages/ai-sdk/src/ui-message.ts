import type { Message, MessagePart, ReasoningPart, TextPart, ToolCallPart } from "@agent-ops/shared/message-parts";
import type { AskedQuestion } from "@agent-ops/shared/questions";
import { blockId } from "./chunk-builder.ts";
import { inputOf, TOOL_FAILED, TOOL_UNFINISHED } from "./tool-input.ts";

type DynamicTool = { type: "dynamic-tool"; toolName: string; toolCallId: string; providerExecuted: true };
type BlockState = "streaming" | "done";

export type UIToolPart = DynamicTool &
  (
    | { state: "input-streaming"; rawInput?: string }
    | { state: "input-available"; input: unknown }
    | { state: "output-available"; input: unknown; output: unknown; preliminary?: true }
    | { state: "output-error"; input: unknown; errorText: string }
  );

export type UIPart =
  | { type: "text"; text: string; state?: BlockState }
  | { type: "reasoning"; id: string; text: string; state: BlockState }
  | { type: "step-start" }
  | { type: "file"; mediaType: string; filename?: string; url: string }
  | { type: "data-question"; id: string; data: AskedQuestion }
  | UIToolPart;

/** A message as clients of the AI SDK keep it. */
export type UIMessage = {
  id: string;
  role: "user" | "assistant";
  parts: UIPart[];
  metadata?: Record<string, unknown>;
};

/** What a client would have gathered from the message's stream; questions that are not given are left out. */
export function toUIMessage(message: Message, questions: ReadonlyMap<string, AskedQuestion>): UIMessage {
  if (message.role === "user") return { id: message.id, role: "user", parts: message.parts.flatMap(userPart) };
  const metadata = metadataOf(message.parts);
  const parts = withoutTrailingSteps(assistantParts(message.parts, questions));
  return { id: message.turnId, role: "assistant", parts, ...(metadata ? { metadata } : {}) };
}

function userPart(part: MessagePart): UIPart[] {
  if (part.type === "text") return [{ type: "text", text: part.text }];
  return part.type === "file" ? [part] : [];
}

function metadataOf(parts: readonly MessagePart[]): Record<string, unknown> | undefined {
  const finish = parts.find((part) => part.type === "finish");
  if (finish?.reason === "canceled") return { canceled: true };
  if (finish?.reason !== "error") return undefined;
  const error = parts.find((part) => part.type === "error");
  return { error: error?.message ?? "" };
}

/** A client shows the start of a step when something comes after it, and an empty last step by chance. */
function withoutTrailingSteps(parts: UIPart[]): UIPart[] {
  return parts.slice(0, parts.findLastIndex((part) => part.type !== "step-start") + 1);
}

function assistantParts(parts: readonly MessagePart[], questions: ReadonlyMap<string, AskedQuestion>): UIPart[] {
  const ended = parts.some((part) => part.type === "finish");
  const lastStep = parts.findLastIndex((part) => part.type === "step");
  const untold = new Map(questions);
  const shown: UIPart[] = [{ type: "step-start" }];
  let blocks = 0;
  for (const [index, part] of parts.entries()) {
    switch (part.type) {
      case "text":
      case "reasoning":
        if (part.text !== "") shown.push(blockPart(part, ++blocks));
        break;
      case "tool-call":
        shown.push(toolPart(part, ended ? "after-turn" : index < lastStep ? "after-step" : "in-step"));
        break;
      case "step":
        shown.push({ type: "step-start" });
        break;
      case "question":
        shown.push(...questionPart(untold.get(part.questionId)));
        untold.delete(part.questionId);
        break;
      case "file":
        shown.push(part);
        break;
      case "finish":
      case "error":
        break;
      default:
        part satisfies never;
    }
  }
  return shown;
}

function blockPart(part: TextPart | ReasoningPart, place: number): UIPart {
  const { text } = part;
  const state = part.streaming ? "streaming" : "done";
  if (part.type === "text") return { type: "text", text, state };
  return { type: "reasoning", id: blockId("reasoning", place), text, state };
}

function questionPart(asked: AskedQuestion | undefined): UIPart[] {
  return asked ? [{ type: "data-question", id: asked.questionId, data: asked }] : [];
}

function toolPart(call: ToolCallPart, seen: "in-step" | "after-step" | "after-turn"): UIToolPart {
  const { callId: toolCallId, toolName, status, result } = call;
  const tool = { type: "dynamic-tool", toolName, toolCallId, providerExecuted: true } as const;
  const input = inputOf(call);
  if (status === "completed") return { ...tool, state: "output-available", input, output: result ?? null };
  if (status === "error") return { ...tool, state: "output-error", input, errorText: call.error ?? TOOL_FAILED };
  if (seen === "after-turn") return { ...tool, state: "output-error", input, errorText: TOOL_UNFINISHED };
  if (result !== undefined) return { ...tool, state: "output-available", input, output: result, preliminary: true };
  if (call.args !== undefined || seen === "after-step") return { ...tool, state: "input-available", input };
  return { ...tool, state: "input-streaming", ...(call.argsText ? { rawInput: call.argsText } : {}) };
}
