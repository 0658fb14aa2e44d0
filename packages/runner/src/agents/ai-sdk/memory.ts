import { existsSync, readFileSync } from "node:fs";
import { type ModelMessage, modelMessageSchema } from "ai";
import { appendLines } from "../append-lines.ts";

/** What a model is sent of a conversation at most, beside the last turn; and what counts of a picture or another file. */
const RECENT_CHARS = 400_000;
const FILE_CHARS = 8_000;

/** What was said in a conversation, kept in a file, so that another process goes on where this one ended. */
export class Memory {
  readonly messages: ModelMessage[];
  #path: string;

  constructor(path: string) {
    this.#path = path;
    this.messages = existsSync(path) ? readFileSync(path, "utf8").split("\n").flatMap(readMessage) : [];
  }

  add(messages: readonly ModelMessage[]): void {
    if (messages.length === 0) return;
    appendLines(this.#path, messages);
    this.messages.push(...messages);
  }

  /** The last turns, as many as a model may be sent. A turn is left out whole, with its calls and their results. */
  recent(limit = RECENT_CHARS): ModelMessage[] {
    let room = limit;
    let first = this.messages.length;
    for (let index = first - 1; index >= 0; index -= 1) {
      const message = this.messages[index];
      room -= sizeOf(message);
      if (room < 0 && first < this.messages.length) break;
      if (message?.role === "user") first = index;
    }
    return this.messages.slice(first);
  }
}

function sizeOf(message: ModelMessage | undefined): number {
  return JSON.stringify(message, (name, value: unknown) => {
    return name === "data" && typeof value === "string" ? value.slice(0, FILE_CHARS) : value;
  }).length;
}

/** A line that its process's death tore is forgotten. */
function readMessage(line: string): ModelMessage[] {
  try {
    return [modelMessageSchema.parse(JSON.parse(line))];
  } catch {
    return [];
  }
}
