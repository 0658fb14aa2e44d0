import type { UIChunk } from "@agent-ops/shared/ai-sdk";
import { isKnownEvent, type LogPayload, type RunnerEvent, type ToolUpdate } from "@agent-ops/shared/events";
import type { Message, MessagePart } from "@agent-ops/shared/message-parts";
import { reduceParts } from "@agent-ops/shared/message-reducer";
import { type AskedQuestion, question, questionResolution } from "@agent-ops/shared/questions";
import { type ApprovalMode, startTranslation, type Translation, translate } from "../src/v2-translator.ts";

export const TURN = "turn-1";

export const create: RunnerEvent = { type: "message.create", turnId: TURN };
export const step: RunnerEvent = { type: "message.step", turnId: TURN };
export const endTurn: RunnerEvent = { type: "message.finalize", turnId: TURN, reason: "end_turn" };
export const canceled: RunnerEvent = { type: "message.finalize", turnId: TURN, reason: "canceled" };

export function text(delta: string, turnId = TURN): RunnerEvent {
  return { type: "message.part.text-delta", turnId, delta };
}

export function reasoning(delta: string): RunnerEvent {
  return { type: "message.part.reasoning-delta", turnId: TURN, delta };
}

export function tool(callId: string, update: Partial<ToolUpdate>): RunnerEvent {
  return { type: "message.part.tool-update", turnId: TURN, callId, toolName: "bash", status: "running", ...update };
}

export function approval(callId: string, questionId = `ask-${callId}`): RunnerEvent {
  return { type: "question", questionId, turnId: TURN, kind: "approval", prompt: "May I?", callId, toolName: "bash" };
}

export function resolved(questionId: string, approved: boolean): LogPayload {
  return { type: "question.resolved", questionId, turnId: TURN, outcome: "answered", answer: { approved }, by: "ann" };
}

export type Told = { state: Translation; chunks: UIChunk[] };

export function tell(events: readonly LogPayload[], approvals: ApprovalMode = "question"): Told {
  let state = startTranslation(TURN, { approvals });
  const chunks: UIChunk[] = [];
  for (const event of events) {
    const told = translate(state, event);
    state = told.state;
    chunks.push(...told.chunks);
  }
  return { state, chunks };
}

/** A chunk in few words: its type and what matters of it. */
function brief(chunk: UIChunk): string {
  switch (chunk.type) {
    case "text-delta":
    case "reasoning-delta":
      return `${chunk.type} ${chunk.delta}`;
    case "tool-input-delta":
      return `${chunk.type} ${chunk.inputTextDelta}`;
    case "tool-input-available":
      return `${chunk.type} ${chunk.toolCallId} ${JSON.stringify(chunk.input)}`;
    case "tool-output-available":
      return `${chunk.type} ${chunk.toolCallId} ${JSON.stringify(chunk.output)}${chunk.preliminary ? " preliminary" : ""}`;
    case "tool-output-error":
      return `${chunk.type} ${chunk.toolCallId} ${chunk.errorText}`;
    case "tool-input-start":
    case "tool-output-denied":
    case "tool-approval-request":
      return `${chunk.type} ${chunk.toolCallId}`;
    case "error":
      return `error ${chunk.errorText}`;
    default:
      return chunk.type;
  }
}

export function briefs(events: readonly LogPayload[], approvals: ApprovalMode = "question"): string[] {
  return tell(events, approvals).chunks.map(brief);
}

/** The turn's message as the session stores it. */
export function fold(events: readonly LogPayload[]): Message {
  let parts: readonly MessagePart[] = [];
  for (const event of events) if (isKnownEvent(event)) parts = reduceParts(parts, event);
  return { id: TURN, turnId: TURN, role: "assistant", parts: [...parts], createdAt: 0 };
}

/** The questions as the session stores them: the first asking and the first resolution count. */
export function questionsOf(events: readonly LogPayload[]): Map<string, AskedQuestion> {
  const asked = new Map<string, AskedQuestion>();
  for (const event of events.filter(isKnownEvent)) {
    if (event.type === "question" && !asked.has(event.questionId)) asked.set(event.questionId, question.parse(event));
    const open = event.type === "question.resolved" ? asked.get(event.questionId) : undefined;
    if (event.type !== "question.resolved" || !open || open.resolution) continue;
    asked.set(event.questionId, { ...open, resolution: questionResolution.parse(event) });
  }
  return asked;
}
