import type { LogEvent } from "@agent-ops/shared/events";
import { message } from "@agent-ops/shared/message-parts";
import { question } from "@agent-ops/shared/questions";

const TAG = /\b(s\d+p\d+(?:r\d+)?)$/;

/** What is waited for may also depend on more than the log. */
const RECHECK_MS = 50;

/** The tag at the end of a prompt. */
export function tagOf(text: string): string | undefined {
  return TAG.exec(text)?.[1];
}

type Listeners = { onTurn(turnId: string): void; onQuestion(questionId: string): void };

/**
 * What the clients of a session know about it together. It goes by events that are stored before they are shown, so
 * that a restart takes none of it back; it may see each of them more than once, and late.
 */
export class SessionWatch {
  readonly turnsByTag = new Map<string, string>();
  readonly ended = new Map<string, string>();
  readonly questions = new Map<string, { kind: string; open: boolean }>();
  lastDeltaAt = 0;
  #status = { seq: 0, status: "" };
  #listeners: Listeners;
  #waiters = new Set<() => void>();

  constructor(listeners: Listeners) {
    this.#listeners = listeners;
  }

  see(event: LogEvent): void {
    this.#take(event);
    for (const wake of this.#waiters) wake();
  }

  get resting(): boolean {
    return this.#status.status === "ready" && [...this.turnsByTag.values()].every((turnId) => this.ended.has(turnId));
  }

  /** False where it is not so in time. */
  async until(condition: () => boolean, ms: number): Promise<boolean> {
    if (condition()) return true;
    const { promise, resolve } = Promise.withResolvers<void>();
    const check = () => condition() && resolve();
    const timer = setTimeout(resolve, ms);
    const recheck = setInterval(check, RECHECK_MS);
    this.#waiters.add(check);
    await promise;
    clearTimeout(timer);
    clearInterval(recheck);
    this.#waiters.delete(check);
    return condition();
  }

  #take(event: LogEvent): void {
    switch (event.type) {
      case "message.part.text-delta":
        this.lastDeltaAt = performance.now();
        return;
      case "status":
        if (event.seq > this.#status.seq) this.#status = { seq: event.seq, status: String(event.status) };
        return;
      case "message":
        return this.#onMessage(event.message);
      case "message.finalize":
        this.ended.set(String(event.turnId), String(event.reason));
        return;
      case "question":
        return this.#onQuestion(event);
      case "question.resolved":
        this.#close(String(event.questionId));
        return;
      default:
    }
  }

  #onMessage(raw: unknown): void {
    const { turnId, parts } = message.parse(raw);
    const tags = parts.flatMap((part) => (part.type === "text" ? [tagOf(part.text) ?? part.text] : []));
    const known = tags.every((tag) => this.turnsByTag.has(tag));
    for (const tag of tags) this.turnsByTag.set(tag, turnId);
    if (!known) this.#listeners.onTurn(turnId);
  }

  #onQuestion(event: LogEvent): void {
    const { questionId, kind } = question.parse(event);
    if (this.questions.has(questionId)) return;
    this.questions.set(questionId, { kind, open: true });
    this.#listeners.onQuestion(questionId);
  }

  #close(questionId: string): void {
    const asked = this.questions.get(questionId);
    if (asked) asked.open = false;
  }
}
