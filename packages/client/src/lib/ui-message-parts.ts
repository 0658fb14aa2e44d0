import type { MessagePart, ToolCallPart, ToolStatus } from "@agent-ops/shared/message-parts";
import { type AskedQuestion, askedQuestion } from "@agent-ops/shared/questions";
import type { DynamicToolUIPart, UIMessage } from "ai";
import { z } from "zod";

const metadata = z.object({ canceled: z.boolean().optional(), error: z.string().optional() });

type UIPart = UIMessage["parts"][number];

/** A message of `useChat` in the parts that the whole page renders. */
export function partsOf(message: UIMessage): MessagePart[] {
  const parts = message.parts.flatMap(convertPart);
  const said = metadata.safeParse(message.metadata).data;
  if (said?.error !== undefined) parts.push({ type: "error", message: said.error });
  if (said?.canceled) parts.push({ type: "finish", reason: "canceled" });
  return parts;
}

/** The questions that a message carries. */
export function questionsOf(message: UIMessage): AskedQuestion[] {
  return message.parts.flatMap((part) => readQuestion(part) ?? []);
}

function convertPart(part: UIPart): MessagePart[] {
  switch (part.type) {
    case "text":
    case "reasoning":
      return part.text === "" ? [] : [{ type: part.type, text: part.text, streaming: part.state === "streaming" }];
    case "dynamic-tool":
      return [convertTool(part)];
    case "file":
      return [{ type: "file", mediaType: part.mediaType, filename: part.filename, url: part.url }];
    default: {
      const asked = readQuestion(part);
      return asked ? [{ type: "question", questionId: asked.questionId }] : [];
    }
  }
}

function readQuestion(part: UIPart): AskedQuestion | undefined {
  return part.type === "data-question" && "data" in part ? askedQuestion.safeParse(part.data).data : undefined;
}

function convertTool(part: DynamicToolUIPart): ToolCallPart {
  const preliminary = part.state === "output-available" && part.preliminary === true;
  const tool: ToolCallPart = {
    type: "tool-call",
    callId: part.toolCallId,
    toolName: part.toolName,
    status: preliminary ? "running" : TOOL_STATUS[part.state],
    args: part.input,
    preliminary,
  };
  if (part.state === "output-available") tool.result = part.output;
  if (part.state === "output-error") tool.error = part.errorText;
  if (part.state === "output-denied") tool.error = part.approval.reason ?? "Denied.";
  return tool;
}

const TOOL_STATUS: Record<DynamicToolUIPart["state"], ToolStatus> = {
  "input-streaming": "pending",
  "input-available": "running",
  "approval-requested": "running",
  "approval-responded": "running",
  "output-available": "completed",
  "output-error": "error",
  "output-denied": "error",
};
