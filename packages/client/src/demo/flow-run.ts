import type { EventDraft } from "@agent-ops/ai-sdk/event-transform";

/** What a node works with. */
export type Desk = {
  readonly prompt: string;
  /** What the nodes before it gave, by their ids. */
  readonly outputs: ReadonlyMap<string, unknown>;
  think(text: string): Promise<void>;
  write(text: string): Promise<void>;
  /** Gives `undefined` where the tool failed. */
  use<T>(toolName: string, toolInput: unknown, tool: () => T): Promise<T | undefined>;
  /** Waits for a person's answer, which is empty where they only said to go on. */
  ask(prompt: string): Promise<string>;
};

export type FlowNode = { readonly id: string; work(desk: Desk): Promise<unknown> };

export type FlowRunOptions = {
  readonly flowName: string;
  readonly nodes: readonly FlowNode[];
  readonly prompt: string;
  /** Between two words, in milliseconds. */
  readonly pace: number;
  readonly emit: (event: EventDraft) => void;
};

/** One node after another. Every word passes `#go`, which is where a run can be paused and stopped. */
export class FlowRun {
  readonly #options: FlowRunOptions;
  readonly #abort = new AbortController();
  readonly #outputs = new Map<string, unknown>();
  #gate: PromiseWithResolvers<void> | undefined;
  #answer: PromiseWithResolvers<string> | undefined;
  #words = 0;

  constructor(options: FlowRunOptions) {
    this.#options = options;
  }

  async run(): Promise<void> {
    const { flowName, nodes, emit } = this.#options;
    emit({ type: "flow:start", flowName });
    for (const node of nodes) {
      const going = await this.#work(node);
      if (!going) return;
    }
    emit({ type: "flow:complete", status: "completed" });
  }

  pause(): void {
    if (this.#gate) return;
    this.#gate = Promise.withResolvers();
    this.#options.emit({ type: "flow:paused" });
  }

  resume(): void {
    this.reply("");
    if (!this.#gate) return;
    this.#options.emit({ type: "flow:resumed" });
    this.#gate.resolve();
    this.#gate = undefined;
  }

  reply(text: string): void {
    this.#answer?.resolve(text);
    this.#answer = undefined;
  }

  abort(): void {
    this.#abort.abort(new Error("Stopped."));
    this.#gate?.resolve();
    this.#answer?.reject(this.#abort.signal.reason);
  }

  async #work(node: FlowNode): Promise<boolean> {
    const { emit } = this.#options;
    const nodeId = node.id;
    emit({ type: "node:start", nodeId });
    emit({ type: "agent:start", nodeId });
    try {
      const output = await node.work(this.#deskOf(nodeId));
      this.#outputs.set(nodeId, output);
      emit({ type: "agent:complete", nodeId, usage: { outputTokens: this.#words }, cost: this.#words / 100_000 });
      emit({ type: "node:complete", nodeId, output });
      this.#words = 0;
      return true;
    } catch (error) {
      if (this.#abort.signal.aborted) emit({ type: "flow:aborted" });
      else emit({ type: "agent:error", nodeId, error: error instanceof Error ? error : String(error) });
      return false;
    }
  }

  #deskOf(nodeId: string): Desk {
    const { prompt, emit } = this.#options;
    return {
      prompt,
      outputs: this.#outputs,
      think: (text) => this.#say(text, (delta) => emit({ type: "agent:thinking:delta", nodeId, delta })),
      write: (text) => this.#say(text, (delta) => emit({ type: "agent:text:delta", nodeId, delta })),
      use: (toolName, toolInput, tool) => this.#use({ nodeId, toolName, toolInput }, tool),
      ask: (question) => this.#ask(nodeId, question),
    };
  }

  async #say(text: string, emit: (delta: string) => void): Promise<void> {
    for (const word of text.match(/\S+\s*/g) ?? []) {
      await this.#go();
      this.#words += 1;
      emit(word);
    }
  }

  async #use<T>(call: { nodeId: string; toolName: string; toolInput: unknown }, tool: () => T): Promise<T | undefined> {
    const { emit } = this.#options;
    await this.#go();
    try {
      const toolOutput = tool();
      emit({ type: "agent:tool", ...call, toolOutput });
      return toolOutput;
    } catch (error) {
      emit({ type: "agent:tool", ...call, error: error instanceof Error ? error : String(error) });
      return undefined;
    }
  }

  #ask(nodeId: string, prompt: string): Promise<string> {
    this.#answer = Promise.withResolvers();
    this.#options.emit({ type: "agent:paused", nodeId, prompt, promptId: nodeId });
    return this.#answer.promise;
  }

  async #go(): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve, this.#options.pace));
    await this.#gate?.promise;
    this.#abort.signal.throwIfAborted();
  }
}
