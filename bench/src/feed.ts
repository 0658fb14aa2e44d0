import { setTimeout as delay, setImmediate } from "node:timers/promises";
import { systemClock } from "../../packages/runner/src/clock.ts";
import { Pacer } from "../../packages/runner/src/pacer.ts";
import { micros } from "./clock.ts";
import { deltaText } from "./delta.ts";
import type { FedSession } from "./systems/system.ts";

/** Batches as the real runner makes them, or a message for each event. */
export type Batching = "runner" | "single";

export type Feed = {
  /** Deltas for each session. */
  count: number;
  /** For each session; as fast as it goes where it is left out. */
  perSecond?: number;
  batching: Batching;
  words: string;
};

const BACKLOG_BYTES = 1024 * 1024;
const TURN_EVENTS = 512;

/** Deltas of one session, stamped when they leave, so that the runner's own window is not counted. */
class Source {
  #session: FedSession;
  #words: string;
  #pacer: Pacer | undefined;
  #sent = 0;

  constructor(session: FedSession, { batching, words }: Feed) {
    this.#session = session;
    this.#words = words;
    if (batching === "runner") this.#pacer = new Pacer(systemClock, (batch) => this.#deliver(batch.length));
  }

  get backlog(): number {
    return this.#session.backlog();
  }

  emit(): void {
    if (!this.#pacer) return this.#deliver(1);
    const bytes = 64 + this.#words.length;
    this.#pacer.push({ json: "", bytes, type: "message.part.text-delta", turnId: undefined });
  }

  finish(): void {
    this.#pacer?.stop();
    this.#session.finish();
  }

  #deliver(count: number): void {
    const now = micros();
    const deltas = Array.from({ length: count }, (_, place) => deltaText(this.#sent + place, now, this.#words));
    this.#sent += count;
    this.#session.send(deltas);
  }
}

/** Feeds all sessions and ends their turns; resolves with the time of the first delta. */
export async function feed(sessions: readonly FedSession[], plan: Feed): Promise<number> {
  const sources = sessions.map((session) => new Source(session, plan));
  const startedAt = micros();
  if (plan.perSecond === undefined) await feedFlatOut(sources, plan.count);
  else await feedPaced(sources, plan.count, 1e6 / plan.perSecond);
  for (const source of sources) source.finish();
  return startedAt;
}

/** Sessions take turns evenly spread over the interval. */
async function feedPaced(sources: readonly Source[], count: number, interval: number): Promise<void> {
  const start = micros();
  const total = sources.length * count;
  const dueAt = (step: number) => start + (step * interval) / sources.length;
  for (let step = 0; step < total; ) {
    const now = micros();
    for (; step < total && dueAt(step) <= now; step++) sources[step % sources.length]?.emit();
    if (step < total) await delay(Math.max(1, (dueAt(step) - micros()) / 1000));
  }
}

async function feedFlatOut(sources: readonly Source[], count: number): Promise<void> {
  for (let fed = 0; fed < count; fed += TURN_EVENTS) {
    for (const source of sources) {
      for (let step = fed; step < Math.min(fed + TURN_EVENTS, count); step++) source.emit();
      while (source.backlog > BACKLOG_BYTES) await delay(1);
    }
    await setImmediate();
  }
}
