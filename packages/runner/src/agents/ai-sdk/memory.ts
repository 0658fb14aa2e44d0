import { appendFileSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import { type ModelMessage, modelMessageSchema } from "ai";

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
    mkdirSync(dirname(this.#path), { recursive: true });
    appendFileSync(this.#path, messages.map((message) => `${JSON.stringify(message)}\n`).join(""));
    this.messages.push(...messages);
  }
}

/** A line that its process's death tore is forgotten. */
function readMessage(line: string): ModelMessage[] {
  try {
    return [modelMessageSchema.parse(JSON.parse(line))];
  } catch {
    return [];
  }
}
