import { existsSync, readFileSync } from "node:fs";
import { appendLines } from "../append-lines.ts";

const KEPT_CHARS = 500;

/** What the demo agent was asked, kept in a file, so that another process goes on where this one ended. */
export class Memory {
  readonly prompts: string[];
  #path: string;

  constructor(path: string) {
    this.#path = path;
    this.prompts = existsSync(path) ? readFileSync(path, "utf8").split("\n").flatMap(readPrompt) : [];
  }

  add(prompt: string): void {
    const kept = prompt.slice(0, KEPT_CHARS).toWellFormed();
    appendLines(this.#path, [kept]);
    this.prompts.push(kept);
  }
}

/** A line that its process's death tore is forgotten. */
function readPrompt(line: string): string[] {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === "string" ? [value] : [];
  } catch {
    return [];
  }
}
