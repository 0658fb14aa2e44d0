import type { TextStreamPart, ToolSet } from "ai";
import type { ProgramEvent } from "./program/messages.ts";

type Part = TextStreamPart<ToolSet>;
type ToolUpdate = Extract<ProgramEvent, { type: "message.part.tool-update" }>;

const FAILED = "The tool failed.";

/** One turn of the AI SDK's loop as V2 events. */
export class AiSdkToV2 {
  #steps = 0;
  #maxSteps: number;

  constructor(maxSteps: number) {
    this.#maxSteps = maxSteps;
  }

  events(part: Part): ProgramEvent[] {
    switch (part.type) {
      case "start-step":
        this.#steps += 1;
        return this.#steps === 1 ? [] : [{ type: "message.step" }];
      case "text-delta":
        return [{ type: "message.part.text-delta", delta: part.text }];
      case "reasoning-delta":
        return [{ type: "message.part.reasoning-delta", delta: part.text }];
      case "tool-input-start":
        return [tool(part.id, part.toolName, { status: "pending" })];
      case "tool-call":
        return [tool(part.toolCallId, part.toolName, { status: "running", args: part.input })];
      case "tool-result":
        return [toolResult(part)];
      case "tool-error":
        return [tool(part.toolCallId, part.toolName, { status: "error", error: messageOf(part.error) })];
      case "finish":
        return [this.#finalize(part)];
      case "error":
        throw new Error(messageOf(part.error));
      default:
        return [];
    }
  }

  #finalize({ finishReason, totalUsage }: Extract<Part, { type: "finish" }>): ProgramEvent {
    const { inputTokens, outputTokens, totalTokens } = totalUsage;
    const usage = { inputTokens, outputTokens, totalTokens };
    const error = this.#problem(finishReason);
    return { type: "message.finalize", usage, ...(error ? { reason: "error", error } : { reason: "end_turn" }) };
  }

  /** A loop that ends while the model still wants tools has reached its limit. */
  #problem(finishReason: string): string | undefined {
    switch (finishReason) {
      case "tool-calls":
        return this.#steps < this.#maxSteps
          ? undefined
          : `The agent has reached its limit of ${this.#maxSteps} steps in one turn.`;
      case "length":
        return "The model has reached its limit of tokens.";
      case "content-filter":
        return "The model's provider has held back the answer.";
      default:
        return undefined;
    }
  }
}

function tool(callId: string, toolName: string, update: Omit<ToolUpdate, "type" | "callId" | "toolName">): ToolUpdate {
  return { type: "message.part.tool-update", callId, toolName, ...update };
}

/** The whole of an MCP result is kept, with its `_meta`, `structuredContent` and resources, also where it is an error. */
function toolResult({ toolCallId, toolName, output, preliminary }: Extract<Part, { type: "tool-result" }>): ToolUpdate {
  if (preliminary) return tool(toolCallId, toolName, { status: "running", result: output, preliminary: true });
  const error = errorIn(output);
  if (error === undefined) return tool(toolCallId, toolName, { status: "completed", result: output });
  return tool(toolCallId, toolName, { status: "error", result: output, error });
}

function errorIn(output: unknown): string | undefined {
  if (typeof output !== "object" || output === null || !("isError" in output) || output.isError !== true)
    return undefined;
  const content = "content" in output && Array.isArray(output.content) ? output.content : [];
  const texts = content.flatMap((block: unknown) => textIn(block));
  return texts.join("\n") || FAILED;
}

function textIn(block: unknown): string[] {
  if (typeof block !== "object" || block === null || !("text" in block)) return [];
  return typeof block.text === "string" ? [block.text] : [];
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
