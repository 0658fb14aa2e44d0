import type { Answer } from "@agent-ops/shared/questions";
import { type AgentClient, type AgentEvent, type AgentPrompt, TurnError } from "../agent-client.ts";
import { Redactor } from "./redactor.ts";

/** An agent whose words are searched for keys before anybody hears them. */
export class DiscreetAgent implements AgentClient {
  #agent: AgentClient;
  #secrets: ReadonlySet<string>;

  constructor(agent: AgentClient, secrets: ReadonlySet<string>) {
    this.#agent = agent;
    this.#secrets = secrets;
  }

  get session(): (() => Promise<string>) | undefined {
    const agent = this.#agent;
    const redactor = new Redactor(this.#secrets);
    return agent.session && (() => discreetly(redactor, () => agent.session?.() ?? Promise.resolve("")));
  }

  async *prompt(input: AgentPrompt, signal: AbortSignal): AsyncGenerator<AgentEvent> {
    const redactor = new Redactor(this.#secrets, input.apiKey === undefined ? [] : [input.apiKey]);
    const stream = redactor.stream();
    const events = this.#agent.prompt(input, signal)[Symbol.asyncIterator]();
    try {
      for (;;) {
        const { done, value } = await discreetly(redactor, () => events.next());
        yield* done ? stream.end() : stream.take(value);
        if (done) return;
      }
    } finally {
      await events.return?.();
    }
  }

  answer(questionId: string, answer: Answer): void {
    this.#agent.answer(questionId, answer);
  }

  dispose(): Promise<void> {
    return this.#agent.dispose();
  }
}

async function discreetly<Result>(redactor: Redactor, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const safe = redactor.text(message);
    if (safe === message) throw error;
    throw error instanceof TurnError ? new TurnError(safe) : new Error(safe);
  }
}
