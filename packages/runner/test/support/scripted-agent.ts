import type { AgentClient, AgentEvent, AgentPrompt } from "../../src/agent-client.ts";
import { Channel } from "../../src/channel.ts";

/** An agent whose turns say what the test says, when it says it. */
export class ScriptedAgent implements AgentClient {
  readonly turns: { input: AgentPrompt; signal: AbortSignal; script: Channel<AgentEvent> }[] = [];
  readonly answers: { questionId: string; answer: unknown }[] = [];
  disposed = false;
  #waiting: (() => void)[] = [];

  prompt(input: AgentPrompt, signal: AbortSignal): AsyncIterable<AgentEvent> {
    const script = new Channel<AgentEvent>(1_000);
    signal.addEventListener("abort", () => script.end());
    this.turns.push({ input, signal, script });
    for (const wake of this.#waiting.splice(0)) wake();
    return script;
  }

  answer(questionId: string, answer: unknown): void {
    this.answers.push({ questionId, answer });
  }

  async dispose(): Promise<void> {
    this.disposed = true;
    for (const turn of this.turns) turn.script.end();
  }

  /** The nth turn, as soon as it has begun. */
  async turn(index: number): Promise<Channel<AgentEvent>> {
    for (;;) {
      const turn = this.turns[index];
      if (turn) return turn.script;
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }
}

export function text(delta: string): AgentEvent {
  return { type: "message.part.text-delta", delta };
}
