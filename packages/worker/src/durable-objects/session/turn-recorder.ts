import { isKnownEvent, type LogEvent } from "@agent-ops/shared/events";
import type { Message, MessagePart } from "@agent-ops/shared/message-parts";
import { reduceParts } from "@agent-ops/shared/message-reducer";
import type { Prompt } from "./turn-machine.ts";

/** The message of the active turn as it grows. */
export class TurnRecorder {
  #head: Omit<Message, "parts">;
  #parts: readonly MessagePart[] = [];

  constructor(prompt: Prompt, createdAt: number) {
    this.#head = { id: prompt.turnId, role: "assistant", turnId: prompt.turnId, createdAt, ...channelOf(prompt) };
  }

  get message(): Message {
    return { ...this.#head, parts: [...this.#parts] };
  }

  /** EV7. Events of other turns, and of none, leave the message as it is. */
  record(event: LogEvent): void {
    if (!isKnownEvent(event) || !("turnId" in event) || event.turnId !== this.#head.turnId) return;
    this.#parts = reduceParts(this.#parts, event);
    if (event.type === "message.finalize" && event.usage) this.#head.usage = event.usage;
  }

  /** Whether a tool of this turn is at work. */
  get toolAtWork(): boolean {
    return this.#parts.some(
      (part) => part.type === "tool-call" && (part.status === "running" || part.status === "pending"),
    );
  }
}

/** The person's message that begins a turn. */
export function promptMessage(prompt: Prompt): Message {
  return {
    id: prompt.id,
    role: "user",
    turnId: prompt.turnId,
    userId: prompt.userId,
    parts: [...(prompt.attachments ?? []), { type: "text", text: prompt.text }],
    createdAt: prompt.createdAt,
    ...channelOf(prompt),
  };
}

function channelOf(prompt: Prompt): { channelType?: string; channelId?: string } {
  const { channel } = prompt;
  if (!channel) return {};
  return { channelId: channel.id, ...(channel.type === undefined ? {} : { channelType: channel.type }) };
}
