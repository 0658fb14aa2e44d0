import type { Answer } from "@agent-ops/shared/questions";
import type { AgentClient, AgentContext, AgentEvent, AgentFactory, AgentPrompt } from "../agent-client.ts";

/** An agent whose code is loaded when it is first wanted: a host that never runs it does not pay for it. */
export function lazily(load: () => Promise<AgentFactory>): AgentFactory {
  return (context) => new LazyAgent(load, context);
}

class LazyAgent implements AgentClient {
  #load: () => Promise<AgentFactory>;
  #context: AgentContext;
  #agent: AgentClient | undefined;

  constructor(load: () => Promise<AgentFactory>, context: AgentContext) {
    this.#load = load;
    this.#context = context;
  }

  async session(): Promise<string> {
    const agent = await this.#loaded();
    return (await agent.session?.()) ?? "";
  }

  async *prompt(input: AgentPrompt, signal: AbortSignal): AsyncGenerator<AgentEvent> {
    yield* (await this.#loaded()).prompt(input, signal);
  }

  answer(questionId: string, answer: Answer): void {
    this.#agent?.answer(questionId, answer);
  }

  async dispose(): Promise<void> {
    await this.#agent?.dispose();
  }

  async #loaded(): Promise<AgentClient> {
    const create = await this.#load();
    this.#agent ??= create(this.#context);
    return this.#agent;
  }
}
