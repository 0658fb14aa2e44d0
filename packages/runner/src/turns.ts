import type { RunnerEvent } from "@agent-ops/shared/events";
import type { PromptCommand } from "@agent-ops/shared/frames";
import type { AgentClient, TurnError } from "./agent-client.ts";
import type { Clock } from "./clock.ts";
import { runTurn } from "./prompt.ts";

interface TurnsOptions {
  agent(signal: AbortSignal): AgentClient | Promise<AgentClient>;
  emit(event: RunnerEvent, signal: AbortSignal): Promise<void> | undefined;
  clock: Clock;
}

/** The turns of one session's agent, one at a time and each once. */
export class Turns {
  #options: TurnsOptions;
  #open = new Map<string, AbortController>();
  #last: string | undefined;
  #tail: Promise<void> = Promise.resolve();

  constructor(options: TurnsOptions) {
    this.#options = options;
  }

  /** Whether this is the turn that was begun here last. */
  hadLast(turnId: string): boolean {
    return this.#last === turnId;
  }

  isOpen(turnId: string): boolean {
    return this.#open.has(turnId);
  }

  /** The session runs one turn at a time: a new prompt means that it gave up on the one before. */
  start(prompt: PromptCommand): void {
    this.stopAllBut(prompt.turnId);
    const controller = new AbortController();
    this.#open.set(prompt.turnId, controller);
    this.#last = prompt.turnId;
    this.#tail = this.#tail.then(() => this.#run(prompt, controller.signal));
  }

  abort(turnId: string): void {
    this.#open.get(turnId)?.abort();
  }

  stopAllBut(turnId: string | undefined): void {
    for (const [open, controller] of this.#open) if (open !== turnId) controller.abort();
  }

  /** Until nothing runs. */
  idle(): Promise<void> {
    return this.#tail;
  }

  /** Ends what runs with an error that people see. */
  async fail(error: TurnError): Promise<void> {
    for (const controller of this.#open.values()) controller.abort(error);
    await this.#tail;
  }

  async #run(prompt: PromptCommand, signal: AbortSignal): Promise<void> {
    const { agent, emit, clock } = this.#options;
    await runTurn({ prompt, agent, signal, clock, emit: (event) => emit(event, signal) });
    this.#open.delete(prompt.turnId);
  }
}
