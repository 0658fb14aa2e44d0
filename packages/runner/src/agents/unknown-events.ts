import type { Log } from "../log.ts";

/** Counts what an agent says that nobody here knows, and logs each kind once. */
export class UnknownEvents {
  readonly counts = new Map<string, number>();
  #agent: string;
  #log: Log | undefined;

  constructor(agent: string, log: Log | undefined) {
    this.#agent = agent;
    this.#log = log;
  }

  count(name: string): void {
    const count = this.counts.get(name) ?? 0;
    this.counts.set(name, count + 1);
    if (count === 0) this.#log?.info("agent.unknown_event", { agent: this.#agent, name });
  }
}
