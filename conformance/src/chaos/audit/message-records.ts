import { isKnownEvent, type LogEvent } from "@agent-ops/shared/events";
import { type Message, message } from "@agent-ops/shared/message-parts";
import { reduceParts } from "@agent-ops/shared/message-reducer";

/** The history of a session as its log tells it: what the stored messages have to be. */
export class MessageRecords {
  #shown: Message[] = [];
  #answers = new Map<string, Message>();

  take(event: LogEvent): void {
    if (event.type === "message") return this.#open(message.parse(event.message));
    if (event.type === "message.updated" && event.removed) {
      this.#shown = this.#shown.filter(({ id }) => id !== event.messageId);
    }
    const answer = "turnId" in event ? this.#answers.get(String(event.turnId)) : undefined;
    if (!answer || !isKnownEvent(event)) return;
    answer.parts = [...reduceParts(answer.parts, event)];
    if (event.type !== "message.finalize") return;
    if (event.usage) answer.usage = event.usage;
    this.#answers.delete(answer.turnId);
    this.#shown.push(answer);
  }

  /** Oldest first, as texts that can be compared. */
  get texts(): string[] {
    return this.#shown.map(textOf);
  }

  #open(opening: Message): void {
    const { turnId, channelId, channelType } = opening;
    this.#shown.push(opening);
    const channel = { ...(channelId ? { channelId } : {}), ...(channelType ? { channelType } : {}) };
    this.#answers.set(turnId, { id: turnId, role: "assistant", turnId, parts: [], createdAt: 0, ...channel });
  }
}

/** When an answer was begun is not in the log. */
export function textOf(value: Message): string {
  const parsed = message.parse(value);
  return JSON.stringify(parsed.role === "assistant" ? { ...parsed, createdAt: 0 } : parsed);
}
