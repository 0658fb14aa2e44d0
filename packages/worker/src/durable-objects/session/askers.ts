import type { SessionStore } from "./session-store.ts";
import type { TurnClock } from "./turn-clock.ts";

/**
 * DIS1: who reads the stream of a turn that they asked for over HTTP. When the last such reader leaves, the turn is
 * aborted after a grace period; a client's `stop()` and a closed tab look the same from here.
 */
export class Askers {
  #store: SessionStore;
  #clock: TurnClock;
  #readers = new Map<string, number>();

  constructor(store: SessionStore, clock: TurnClock) {
    this.#store = store;
    this.#clock = clock;
  }

  arrived(turnId: string, user: string): void {
    if (!this.#isAsker(turnId, user)) return;
    this.#readers.set(turnId, (this.#readers.get(turnId) ?? 0) + 1);
    this.#clock.askerBack(turnId);
  }

  /** A stream is over: the client closed it, or we did because there is no more to say for now. */
  left(turnId: string, user: string, by: "client" | "session"): void {
    if (!this.#isAsker(turnId, user)) return;
    const rest = (this.#readers.get(turnId) ?? 1) - 1;
    if (rest > 0) this.#readers.set(turnId, rest);
    else this.#readers.delete(turnId);
    if (rest <= 0 && by === "client") this.#clock.askerGone(turnId);
  }

  #isAsker(turnId: string, user: string): boolean {
    const prompt = this.#store.turns.get(turnId)?.prompt;
    return prompt?.userId === user && prompt.onDisconnect === "abort";
  }
}
