import type { AgentEvent } from "../agent-client.ts";

const HIDDEN = "[hidden]";

type Delta = Extract<AgentEvent, { type: "message.part.text-delta" | "message.part.reasoning-delta" }>;

/** Takes secrets out of what an agent says. */
export class Redactor {
  #secrets: ReadonlySet<string>;
  #further: readonly string[];

  /** `secrets` may grow; `further` are for this redactor alone. */
  constructor(secrets: ReadonlySet<string>, further: readonly string[] = []) {
    this.#secrets = secrets;
    this.#further = further;
  }

  text(text: string): string {
    let result = text;
    for (const secret of this.#all()) result = result.replaceAll(secret, HIDDEN);
    return result;
  }

  value<Value>(value: Value): Value {
    return this.#all().length === 0 ? value : (this.#clean(value) as Value);
  }

  /** One turn's events: a secret that is spread over several deltas is found too. */
  stream(): RedactedStream {
    return new RedactedStream(this);
  }

  /** How much of a text's end could be the beginning of a secret. */
  suspicious(text: string): number {
    let longest = 0;
    for (const secret of this.#all()) {
      for (let length = Math.min(secret.length - 1, text.length); length > longest; length -= 1) {
        if (text.endsWith(secret.slice(0, length))) longest = length;
      }
    }
    return longest;
  }

  #all(): string[] {
    return [...this.#secrets, ...this.#further];
  }

  #clean(value: unknown): unknown {
    if (typeof value === "string") return this.text(value);
    if (Array.isArray(value)) return value.map((item) => this.#clean(item));
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [this.text(name), this.#clean(item)]));
  }
}

class RedactedStream {
  #redactor: Redactor;
  /** The end of the last delta, as long as it may become a secret. */
  #held: Delta | undefined;

  constructor(redactor: Redactor) {
    this.#redactor = redactor;
  }

  take(event: AgentEvent): AgentEvent[] {
    if (event.type !== "message.part.text-delta" && event.type !== "message.part.reasoning-delta") {
      return [...this.end(), this.#redactor.value(event)];
    }
    const before = this.#held?.type === event.type ? [] : this.end();
    const text = this.#redactor.text((this.#held?.delta ?? "") + event.delta);
    const split = text.length - this.#redactor.suspicious(text);
    this.#held = split < text.length ? { ...event, delta: text.slice(split) } : undefined;
    return split === 0 ? before : [...before, { ...event, delta: text.slice(0, split) }];
  }

  /** What was held back turned out to be nothing. */
  end(): AgentEvent[] {
    const held = this.#held;
    this.#held = undefined;
    return held ? [held] : [];
  }
}
