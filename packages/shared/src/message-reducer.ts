import type { KnownLogPayload, MessageFinalize, ToolUpdate } from "./types/events.ts";
import type { MessagePart, ToolCallPart } from "./types/message-parts.ts";

/**
 * Folds one event of a turn into the parts of its message. The session stores what this yields and the web app shows
 * it, so both see the same message. Parts are never changed in place: an unchanged part keeps its identity.
 */
export function reduceParts(parts: readonly MessagePart[], event: KnownLogPayload): readonly MessagePart[] {
  switch (event.type) {
    case "message.part.text-delta":
      return textForm(parts) === "chunk" ? parts : appendText(parts, "text", event.delta);
    case "chunk":
      return textForm(parts) === "delta" ? parts : appendChunk(parts, event.content);
    case "message.part.reasoning-delta":
      return appendText(parts, "reasoning", event.delta);
    case "message.part.tool-update":
      return upsertTool(closeText(parts), event);
    case "message.step":
      return [...closeText(parts), { type: "step", ...(event.nodeId ? { nodeId: event.nodeId } : {}) }];
    case "question":
      return addQuestion(parts, event.questionId);
    case "message.finalize":
      return finalizeParts(parts, event);
    case "complete":
      return [...closeText(parts), { type: "finish", reason: "end_turn" }];
    case "error":
      return [...closeText(parts), { type: "error", message: event.message }, { type: "finish", reason: "error" }];
    default:
      return parts;
  }
}

function appendText(parts: readonly MessagePart[], type: "text" | "reasoning", delta: string): readonly MessagePart[] {
  if (delta === "") return parts;
  const last = parts.at(-1);
  if (last?.type === type && last.streaming) return [...parts.slice(0, -1), { ...last, text: last.text + delta }];
  return [...closeText(parts), { type, text: delta, streaming: true }];
}

function addQuestion(parts: readonly MessagePart[], questionId: string): readonly MessagePart[] {
  if (parts.some((part) => part.type === "question" && part.questionId === questionId)) return parts;
  return [...closeText(parts), { type: "question", questionId }];
}

/** In which form the turn's text came first; the other one would only repeat it. */
function textForm(parts: readonly MessagePart[]): "chunk" | "delta" | undefined {
  const first = parts.find((part) => part.type === "text");
  if (!first) return undefined;
  return first.chunked ? "chunk" : "delta";
}

function appendChunk(parts: readonly MessagePart[], content: string): readonly MessagePart[] {
  const appended = appendText(parts, "text", content);
  const last = appended.at(-1);
  return last?.type === "text" && !last.chunked ? appended.with(-1, { ...last, chunked: true }) : appended;
}

function closeText(parts: readonly MessagePart[]): readonly MessagePart[] {
  const last = parts.at(-1);
  if ((last?.type !== "text" && last?.type !== "reasoning") || !last.streaming) return parts;
  const { streaming: _, ...closed } = last;
  return [...parts.slice(0, -1), closed];
}

function upsertTool(parts: readonly MessagePart[], update: ToolUpdate): readonly MessagePart[] {
  const at = parts.findLastIndex((part) => part.type === "tool-call" && part.callId === update.callId);
  const before = parts[at];
  if (before?.type !== "tool-call") return [...parts, mergeTool(undefined, update)];
  return parts.with(at, mergeTool(before, update));
}

function mergeTool(before: ToolCallPart | undefined, update: ToolUpdate): ToolCallPart {
  if (before?.status === "completed" || before?.status === "error") return before;
  const { callId, toolName } = update;
  const status = update.preliminary ? "running" : update.status;
  const merged: ToolCallPart = { type: "tool-call", callId, toolName, status };
  const args = update.args ?? before?.args;
  const argsText = (before?.argsText ?? "") + (update.argsDelta ?? "");
  if (args !== undefined) merged.args = args;
  else if (argsText !== "") merged.argsText = argsText;
  const result = update.result !== undefined ? update.result : before?.result;
  if (result !== undefined) merged.result = result;
  if (update.preliminary) merged.preliminary = true;
  if (update.error !== undefined) merged.error = update.error;
  return merged;
}

function finalizeParts(parts: readonly MessagePart[], event: MessageFinalize): readonly MessagePart[] {
  const settled = closeText(settleText(parts, event.finalText));
  const failed: MessagePart[] = event.reason === "error" ? [{ type: "error", message: errorText(event) }] : [];
  return [...settled, ...failed, { type: "finish", reason: event.reason }];
}

/** The text an error finalize shows to people. */
export function errorText(event: MessageFinalize): string {
  return event.error ?? "The agent stopped with an error.";
}

/** Where the final text goes beyond what was streamed the rest is added; where they disagree the final text wins. */
function settleText(parts: readonly MessagePart[], finalText: string | undefined): readonly MessagePart[] {
  if (finalText === undefined) return parts;
  const streamed = parts.map((part) => (part.type === "text" ? part.text : "")).join("");
  if (finalText === streamed) return parts;
  if (finalText.startsWith(streamed)) return appendText(parts, "text", finalText.slice(streamed.length));
  return [...parts.filter((part) => part.type !== "text"), { type: "text", text: finalText }];
}
