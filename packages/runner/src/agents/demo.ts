import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Answer } from "@agent-ops/shared/questions";
import {
  type AgentClient,
  type AgentContext,
  type AgentEvent,
  type AgentFactory,
  type AgentPrompt,
  TurnError,
} from "../agent-client.ts";
import type { AgentPlace } from "../agent-places.ts";
import { Channel } from "../channel.ts";
import { type FromDemo, fromDemo, type ToDemo } from "./demo/messages.ts";
import { LineProcess } from "./line-process.ts";

const PROGRAM = fileURLToPath(new URL("./demo-process.ts", import.meta.url));
/** A process that does not follow an abort within this time is ended. */
const ABORT_MS = 1_000;
const QUEUED_BATCHES = 16;
const MEMORY = "demo-memory";
/** A conversation's name becomes a file's. */
const CONVERSATION = /^[\w-]{1,128}$/;

type Batch = readonly AgentEvent[];

/** The built-in agent: needs no key, works in the workspace, and plays every situation a session can get into. */
export const createDemoAgent: AgentFactory = (context) => new DemoAgent(context);

class DemoAgent implements AgentClient {
  #place: AgentPlace;
  #conversation: string;
  #process: DemoProcess | undefined;

  constructor({ agentSessionId = "", ...place }: AgentContext) {
    this.#place = place;
    this.#conversation = CONVERSATION.test(agentSessionId) ? agentSessionId : randomUUID();
  }

  async session(): Promise<string> {
    return this.#conversation;
  }

  prompt(input: AgentPrompt, signal: AbortSignal): AsyncIterable<AgentEvent> {
    if (!this.#process?.isAlive) this.#process = new DemoProcess(this.#place, this.#conversation);
    return this.#process.turn(input, signal);
  }

  answer(questionId: string, answer: Answer): void {
    this.#process?.send({ type: "answer", questionId, answer });
  }

  async dispose(): Promise<void> {
    await this.#process?.kill();
  }
}

/** One run of the demo agent's program. */
class DemoProcess {
  #process: LineProcess;
  #turn: { turnId: string; batches: Channel<Batch> } | undefined;
  isAlive = true;

  constructor(place: AgentPlace, conversation: string) {
    const memory = join(place.home, MEMORY, `${conversation}.jsonl`);
    this.#process = new LineProcess({ command: process.execPath, args: [PROGRAM, memory], place });
    void this.#listen();
    void this.#process.exited.then(() => {
      this.isAlive = false;
    });
  }

  send(message: ToDemo): void {
    this.#process.send(message);
  }

  kill(): Promise<void> {
    this.isAlive = false;
    return this.#process.kill();
  }

  async *turn({ turnId, text }: AgentPrompt, signal: AbortSignal): AsyncGenerator<AgentEvent> {
    const batches = new Channel<Batch>(QUEUED_BATCHES);
    this.#turn = { turnId, batches };
    let timer: NodeJS.Timeout | undefined;
    const abort = () => {
      this.send({ type: "abort", turnId });
      timer = setTimeout(() => this.kill(), ABORT_MS);
    };
    signal.addEventListener("abort", abort, { once: true });
    this.send({ type: "prompt", turnId, text });
    if (signal.aborted) abort();
    try {
      for await (const batch of batches) yield* batch;
    } finally {
      clearTimeout(timer);
      signal.removeEventListener("abort", abort);
    }
  }

  async #listen(): Promise<void> {
    try {
      for await (const line of this.#process.lines()) await this.#take(fromDemo.parse(JSON.parse(line)));
    } catch {
      // Whoever cannot be understood cannot be worked with.
      await this.kill();
    }
    const how = await this.#process.exited;
    this.#turn?.batches.end({ error: new TurnError(`The agent's process ended unexpectedly (${how}).`) });
  }

  async #take(message: FromDemo): Promise<void> {
    if (message.turnId !== this.#turn?.turnId) return;
    const { batches } = this.#turn;
    switch (message.type) {
      case "events":
        return batches.push(message.events);
      case "end":
        return batches.end();
      case "failed":
        return batches.end({ error: new TurnError(message.message) });
      default:
        return message satisfies never;
    }
  }
}
