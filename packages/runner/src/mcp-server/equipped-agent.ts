import type { Answer } from "@agent-ops/shared/questions";
import type { AgentClient, AgentContext, AgentEvent, AgentPrompt } from "../agent-client.ts";
import { Channel } from "../channel.ts";
import { Desk, type SpawnWish } from "./desk.ts";
import type { ToolHost } from "./tool-host.ts";

const QUEUED_EVENTS = 64;

export interface Equipment {
  host: ToolHost;
  spawn(sessionId: string, wish: SpawnWish): Promise<string>;
}

/** An agent that is offered the runner's own tools: what it does with them is told among what it says. */
export class EquippedAgent implements AgentClient {
  #agent: AgentClient;
  #desk: Desk;
  #host: ToolHost;
  #sessionId: string;

  constructor({ host, spawn }: Equipment, context: AgentContext, create: (context: AgentContext) => AgentClient) {
    const { sessionId } = context;
    this.#host = host;
    this.#sessionId = sessionId;
    const desk = new Desk((wish) => spawn(sessionId, wish));
    this.#desk = desk;
    const toolServer = async () => {
      const server = await host.open(sessionId, desk);
      context.environment?.hide(server.password);
      return server;
    };
    this.#agent = create({ ...context, toolServer });
  }

  get session(): (() => Promise<string>) | undefined {
    const agent = this.#agent;
    return agent.session && (() => agent.session?.() ?? Promise.resolve(""));
  }

  async *prompt(input: AgentPrompt, signal: AbortSignal): AsyncGenerator<AgentEvent> {
    const events = new Channel<AgentEvent>(QUEUED_EVENTS);
    const turn = { signal, tell: (event: AgentEvent) => events.push(event) };
    this.#desk.begin(turn);
    void pour(this.#agent.prompt(input, signal), events);
    try {
      yield* events;
    } finally {
      this.#desk.end(turn);
    }
  }

  answer(questionId: string, answer: Answer): void {
    if (!this.#desk.answer(questionId, answer)) this.#agent.answer(questionId, answer);
  }

  async dispose(): Promise<void> {
    await this.#agent.dispose();
    this.#host.close(this.#sessionId);
  }
}

async function pour(source: AsyncIterable<AgentEvent>, events: Channel<AgentEvent>): Promise<void> {
  try {
    for await (const event of source) await events.push(event);
    events.end();
  } catch (error) {
    events.end({ error });
  }
}
