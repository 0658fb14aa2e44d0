import { type AgentOptions, withUsual } from "@agent-ops/shared/agent-options";
import type { RunnerCommand } from "@agent-ops/shared/frames";
import type { MessageTable } from "./message-table.ts";
import type { Prompt, TurnState } from "./turn-machine.ts";

/** What goes to the runner with a prompt: the session's own options where it has none, and the key that came with it. */
export class Handover {
  #usual: () => AgentOptions;
  #messages: MessageTable;
  /** OPT4: in memory alone. */
  #keys = new Map<string, string>();

  constructor(usual: () => AgentOptions, messages: MessageTable) {
    this.#usual = usual;
    this.#messages = messages;
  }

  command(prompt: Prompt): RunnerCommand {
    const { turnId, userId, text, attachments, channel, withKey } = prompt;
    const asked = { turnId, userId, text, attachments, channel, withKey, apiKey: this.#keys.get(turnId) };
    const history = this.#messages.outline();
    return { type: "prompt", ...asked, history, ...withUsual(prompt, this.#usual()) };
  }

  hold(turnId: string, apiKey: string): void {
    this.#keys.set(turnId, apiKey);
  }

  /** A key is kept for as long as its prompt may have to be handed over, and no longer. */
  forget({ active, queue }: TurnState): void {
    if (this.#keys.size === 0) return;
    const waiting = new Set(queue.map(({ turnId }) => turnId));
    if (active && !active.created) waiting.add(active.prompt.turnId);
    for (const turnId of this.#keys.keys()) if (!waiting.has(turnId)) this.#keys.delete(turnId);
  }
}
