import type { Usage } from "@agent-ops/shared/message-parts";
import type { KnownPart } from "./events.ts";

type StepFinish = Extract<KnownPart, { type: "step-finish" }>;

/** What the steps of a turn used together, those of its subagents included. */
export class UsageTotal {
  #input = 0;
  #output = 0;
  #cost = 0;
  #steps = new Set<string>();

  add({ id, tokens: { input, output, reasoning, cache }, cost }: StepFinish): void {
    if (this.#steps.has(id)) return;
    this.#steps.add(id);
    this.#input += input + (cache?.read ?? 0) + (cache?.write ?? 0);
    this.#output += output + reasoning;
    this.#cost += cost;
  }

  get total(): { usage?: Usage } {
    if (this.#steps.size === 0) return {};
    const [inputTokens, outputTokens] = [this.#input, this.#output];
    // Sums of small prices gather noise in their last digits.
    const costUsd = Number(this.#cost.toFixed(9));
    return { usage: { inputTokens, outputTokens, totalTokens: inputTokens + outputTokens, costUsd } };
  }
}
