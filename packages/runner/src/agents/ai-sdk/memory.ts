import { type ModelMessage, modelMessageSchema } from "ai";
import { Memory } from "../program/memory.ts";

/** What a model is sent of a conversation at most, beside the last turn; and what counts of a picture or another file. */
const RECENT_CHARS = 400_000;
const FILE_CHARS = 8_000;

/** What was said in a conversation. */
export class ConversationMemory extends Memory<ModelMessage> {
  constructor(path: string) {
    super(path, (raw) => modelMessageSchema.parse(raw));
  }

  /** The last turns, as many as a model may be sent. A turn is left out whole, with its calls and their results. */
  recent(limit = RECENT_CHARS): ModelMessage[] {
    const messages = this.values;
    let room = limit;
    let first = messages.length;
    for (let index = first - 1; index >= 0; index -= 1) {
      const message = messages[index];
      room -= sizeOf(message);
      if (room < 0 && first < messages.length) break;
      if (message?.role === "user") first = index;
    }
    return messages.slice(first);
  }
}

function sizeOf(message: ModelMessage | undefined): number {
  return JSON.stringify(message, (name, value: unknown) => {
    return name === "data" && typeof value === "string" ? value.slice(0, FILE_CHARS) : value;
  }).length;
}
