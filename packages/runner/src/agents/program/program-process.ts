import type { Answer } from "@agent-ops/shared/questions";
import { type AgentEvent, type AgentPrompt, TurnError } from "../../agent-client.ts";
import type { AgentPlace } from "../../agent-places.ts";
import { Channel } from "../../channel.ts";
import { LineProcess } from "../line-process.ts";
import { type FromProgram, fromProgram, type ToProgram } from "./messages.ts";

/** A process that does not follow an abort within this time is ended. */
const ABORT_MS = 1_000;
const QUEUED_BATCHES = 16;

type Batch = readonly AgentEvent[];

interface ProgramOptions<Settings> {
  program: string;
  args: string[];
  place: AgentPlace;
  /** Told on the standard input, where no other process can read it. */
  settings?: Settings;
}

/** One run of the program of an agent of ours. */
export class ProgramProcess<Settings = never> {
  #process: LineProcess;
  #turn: { turnId: string; batches: Channel<Batch> } | undefined;
  isAlive = true;

  constructor({ program, args, place, settings }: ProgramOptions<Settings>) {
    this.#process = new LineProcess({ command: process.execPath, args: [program, ...args], place });
    if (settings !== undefined) this.#send({ type: "settings", settings });
    void this.#listen();
    void this.#process.exited.then(() => {
      this.isAlive = false;
    });
  }

  answer(questionId: string, answer: Answer): void {
    this.#send({ type: "answer", questionId, answer });
  }

  kill(): Promise<void> {
    this.isAlive = false;
    return this.#process.kill();
  }

  async *turn(prompt: AgentPrompt, signal: AbortSignal): AsyncGenerator<AgentEvent> {
    const { turnId } = prompt;
    const batches = new Channel<Batch>(QUEUED_BATCHES);
    this.#turn = { turnId, batches };
    let timer: NodeJS.Timeout | undefined;
    const abort = () => {
      this.#send({ type: "abort", turnId });
      timer = setTimeout(() => this.kill(), ABORT_MS);
    };
    signal.addEventListener("abort", abort, { once: true });
    this.#send({ type: "prompt", ...prompt });
    if (signal.aborted) abort();
    try {
      for await (const batch of batches) yield* batch;
    } finally {
      clearTimeout(timer);
      signal.removeEventListener("abort", abort);
    }
  }

  #send(message: ToProgram<Settings>): void {
    this.#process.send(message);
  }

  async #listen(): Promise<void> {
    try {
      for await (const line of this.#process.lines()) await this.#take(fromProgram.parse(JSON.parse(line)));
    } catch {
      // Whoever cannot be understood cannot be worked with.
      await this.kill();
    }
    const how = await this.#process.exited;
    this.#turn?.batches.end({ error: new TurnError(`The agent's process ended unexpectedly (${how}).`) });
  }

  async #take(message: FromProgram): Promise<void> {
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
