import { AppError } from "@agent-ops/shared/errors";
import { LIMITS } from "@agent-ops/shared/limits";
import type { Access } from "../../lib/access.ts";
import { RateLimiter } from "../../lib/rate-limiter.ts";
import type { RoomPorts } from "./room-ports.ts";

type Ports = Pick<RoomPorts, "clock" | "actsPerSecond" | "widgetActsPerMinute">;
type Person = Pick<Access, "user" | "widget">;

/** LIM1 to LIM3: one person cannot keep the others from the session. */
export class Turnstile {
  #ports: Ports;
  #acts: RateLimiter;
  #visitorActs: RateLimiter;
  #visitorReads: RateLimiter;
  #streams = 0;
  #visitorStreams = new Map<string, number>();

  constructor(ports: Ports) {
    const { actsPerSecond, widgetActsPerMinute } = ports;
    const reads = widgetActsPerMinute * LIMITS.widgetReadsPerAct;
    this.#ports = ports;
    this.#acts = new RateLimiter(actsPerSecond);
    this.#visitorActs = new RateLimiter(widgetActsPerMinute / 60, widgetActsPerMinute);
    this.#visitorReads = new RateLimiter(reads / 60, reads);
  }

  act({ user, widget }: Person): void {
    const { clock, actsPerSecond, widgetActsPerMinute } = this.#ports;
    if ((widget ? this.#visitorActs : this.#acts).take(user, clock.now())) return;
    throw tooFast(widget ? `${widgetActsPerMinute} acts a minute` : `${actsPerSecond} acts a second`);
  }

  read({ user, widget }: Person): void {
    const { clock, widgetActsPerMinute } = this.#ports;
    if (!widget || this.#visitorReads.take(user, clock.now())) return;
    throw tooFast(`${widgetActsPerMinute * LIMITS.widgetReadsPerAct} reads a minute`);
  }

  /** Takes a place for a stream, open or waited for; what it gives back leaves that place. */
  enter({ user, widget }: Person): () => void {
    if (this.#streams >= LIMITS.streams) {
      throw new AppError("too_many", `A session has at most ${LIMITS.streams} open streams.`);
    }
    const own = this.#visitorStreams.get(user) ?? 0;
    if (widget && own >= LIMITS.widgetStreams) {
      throw new AppError("too_many", `A visitor has at most ${LIMITS.widgetStreams} open streams.`);
    }
    this.#streams += 1;
    if (widget) this.#visitorStreams.set(user, own + 1);
    let isIn = true;
    return () => {
      if (isIn) this.#leave({ user, widget });
      isIn = false;
    };
  }

  #leave({ user, widget }: Person): void {
    this.#streams -= 1;
    if (!widget) return;
    const own = (this.#visitorStreams.get(user) ?? 1) - 1;
    if (own > 0) this.#visitorStreams.set(user, own);
    else this.#visitorStreams.delete(user);
  }
}

function tooFast(limit: string): AppError {
  return new AppError("rate_limited", `Too fast: at most ${limit}. Try again in a moment.`);
}
