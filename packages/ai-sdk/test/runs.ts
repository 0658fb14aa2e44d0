import type { UIChunk } from "@agent-ops/shared/ai-sdk";
import type { EventDraft } from "../src/event-transform.ts";
import { type RunState, type Shown, startRun } from "../src/run-state.ts";
import type { AgentRuntime, RuntimeCommand, RuntimeEvent } from "../src/runtime-events.ts";
import { translateEvent } from "../src/runtime-translator.ts";

export const EVERYTHING: Shown = { reasoning: true, steps: true, flowStatus: true, nodeOutput: true };

export function eventOf(draft: EventDraft, runId = "run-1"): RuntimeEvent {
  return { nodeId: "writer", ...draft, runId, timestamp: 0 };
}

export type Told = { state: RunState; chunks: UIChunk[] };

export function tellRun(drafts: readonly EventDraft[], shown: Shown = EVERYTHING, runId = "run-1"): Told {
  let state = startRun(runId, shown);
  const chunks: UIChunk[] = [];
  for (const draft of drafts) {
    const moved = translateEvent(state, eventOf(draft, runId));
    if (!moved) continue;
    state = moved.state;
    chunks.push(...moved.chunks);
  }
  return { state, chunks };
}

/** A runtime that does as it is told by the test, and remembers what it was told by the transport. */
export class ScriptedRuntime implements AgentRuntime {
  readonly commands: RuntimeCommand[] = [];
  readonly listeners = new Set<(event: RuntimeEvent) => void>();

  onEvent(listener: (event: RuntimeEvent) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  dispatch(command: RuntimeCommand): unknown {
    this.commands.push(command);
    return undefined;
  }

  /** Events of the latest run, unless another is named. */
  say(drafts: readonly EventDraft[], runId = this.runId()): void {
    for (const draft of drafts) for (const listener of [...this.listeners]) listener(eventOf(draft, runId));
  }

  runId(): string {
    return this.commands.at(-1)?.runId ?? "no run";
  }
}

export async function gather<T>(stream: ReadableStream<T>): Promise<T[]> {
  const chunks: T[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return chunks;
}

export function userMessage(text: string, id = "message-1") {
  return { id, role: "user", parts: [{ type: "text", text }] };
}

export function request(text: string, more: { chatId?: string; abortSignal?: AbortSignal } = {}) {
  return {
    trigger: "submit-message" as const,
    chatId: "chat-1",
    messageId: undefined,
    messages: [userMessage(text)],
    abortSignal: undefined,
    ...more,
  };
}
