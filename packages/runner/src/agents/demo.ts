import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Answer } from "@agent-ops/shared/questions";
import type { AgentClient, AgentContext, AgentEvent, AgentFactory, AgentPrompt } from "../agent-client.ts";
import type { AgentPlace } from "../agent-places.ts";
import { ProgramProcess } from "./program/program-process.ts";

const PROGRAM = fileURLToPath(new URL("./demo-process.ts", import.meta.url));
const MEMORY = "demo-memory";
/** A conversation's name becomes a file's. */
const CONVERSATION = /^[\w-]{1,128}$/;

/** The built-in agent: needs no key, works in the workspace, and plays every situation a session can get into. */
export const createDemoAgent: AgentFactory = (context) => new DemoAgent(context);

class DemoAgent implements AgentClient {
  #place: AgentPlace;
  #conversation: string;
  #process: ProgramProcess | undefined;

  constructor({ agentSessionId = "", ...place }: AgentContext) {
    this.#place = place;
    this.#conversation = CONVERSATION.test(agentSessionId) ? agentSessionId : randomUUID();
  }

  async session(): Promise<string> {
    return this.#conversation;
  }

  prompt(input: AgentPrompt, signal: AbortSignal): AsyncIterable<AgentEvent> {
    if (!this.#process?.isAlive) this.#process = this.#start();
    const { apiKey: _, ...prompt } = input;
    return this.#process.turn(prompt, signal);
  }

  answer(questionId: string, answer: Answer): void {
    this.#process?.answer(questionId, answer);
  }

  async dispose(): Promise<void> {
    await this.#process?.kill();
  }

  #start(): ProgramProcess {
    const memory = join(this.#place.home, MEMORY, `${this.#conversation}.jsonl`);
    return new ProgramProcess({ program: PROGRAM, args: [memory], place: this.#place });
  }
}
