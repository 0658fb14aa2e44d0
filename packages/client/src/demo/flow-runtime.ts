import type { AgentRuntime, RuntimeCommand, RuntimeEvent } from "@agent-ops/ai-sdk/runtime-events";
import { type FlowNode, FlowRun } from "./flow-run.ts";

type Listener = (event: RuntimeEvent) => void;

/** An agent runtime as anybody may have one: flows of nodes, events out, commands in. It knows nothing of any chat. */
export class FlowRuntime implements AgentRuntime {
  readonly #flow: { readonly name: string; readonly nodes: readonly FlowNode[]; readonly pace: number };
  readonly #listeners = new Set<Listener>();
  readonly #runs = new Map<string, FlowRun>();

  constructor(flow: { name: string; nodes: readonly FlowNode[]; pace: number }) {
    this.#flow = flow;
  }

  onEvent(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  dispatch(command: RuntimeCommand): void {
    const run = this.#runs.get(command.runId);
    switch (command.type) {
      case "send":
        return this.#start(command.runId, command.text);
      case "reply":
        return run?.reply(command.text);
      case "resume":
        return run?.resume();
      case "abort":
        return run?.abort();
      default:
        return command satisfies never;
    }
  }

  /** Everything that works waits for its `resume`. */
  pause(): void {
    for (const run of this.#runs.values()) run.pause();
  }

  #start(runId: string, prompt: string): void {
    const { name, nodes, pace } = this.#flow;
    const run = new FlowRun({
      flowName: name,
      nodes,
      prompt,
      pace,
      emit: (draft) => this.#emit({ nodeId: "flow", ...draft, runId, timestamp: Date.now() }),
    });
    this.#runs.set(runId, run);
    void run.run().finally(() => this.#runs.delete(runId));
  }

  #emit(event: RuntimeEvent): void {
    for (const listener of [...this.#listeners]) listener(event);
  }
}
