import type { LogPayload, QueueItem } from "@agent-ops/shared/events";
import type { MessageTable } from "./message-table.ts";
import type { Clock } from "./storage.ts";
import type { Prompt } from "./turn-machine.ts";
import { promptMessage } from "./turn-recorder.ts";

/** What a turn does to the history: it ends where the prompt says, and goes on with the person's message. */
export function openHistory(messages: MessageTable, prompt: Prompt): LogPayload[] {
  const { replaces } = prompt;
  const removed = replaces ? messages.removeAfter(replaces.messageId, replaces.itself) : [];
  const events: LogPayload[] = removed.map((messageId) => ({ type: "message.updated", messageId, removed: true }));
  if (prompt.trigger === "regenerate") return events;
  const opening = promptMessage(prompt);
  messages.add(opening);
  return [...events, { type: "message", message: opening }];
}

const QUEUE_TEXT_CHARS = 1000;

/** What the queue shows of a prompt; the whole text comes with its message when it runs. */
export function queueItem({ id, turnId, userId, text }: Prompt): QueueItem {
  return { promptId: id, turnId, userId, text: text.slice(0, QUEUE_TEXT_CHARS) };
}

/** Rings when something happens to a turn that others wait for. */
export class StartBell {
  #listeners = new Set<() => void>();

  ring(): void {
    for (const listener of this.#listeners) listener();
  }

  /** Until it rings, or the time is over. */
  wait(clock: Clock, ms: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const cancel = clock.after(ms, resolve);
    this.#listeners.add(resolve);
    return promise.finally(() => {
      cancel();
      this.#listeners.delete(resolve);
    });
  }
}
