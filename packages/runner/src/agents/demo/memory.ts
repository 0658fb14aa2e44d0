import { z } from "zod";
import { Memory } from "../program/memory.ts";

const KEPT_CHARS = 500;

/** What the demo agent was asked. */
export class DemoMemory extends Memory<string> {
  constructor(path: string) {
    super(path, (raw) => z.string().parse(raw));
  }

  addPrompt(prompt: string): void {
    this.add([prompt.slice(0, KEPT_CHARS).toWellFormed()]);
  }
}
