import type { RoomPorts } from "./room-ports.ts";

type Read = { turnId: string; endedAt: number | undefined };

/**
 * SSE16: who read the history while a turn ran and has not joined that turn since. A page that loads reads first and
 * joins then; where the turn ends in between, it has neither the turn's message nor a turn to join.
 */
export class HistoryReads {
  #ports: RoomPorts;
  #reads = new Map<string, Read>();
  /** How many streams of a turn a person has open. */
  #streams = new Map<string, number>();

  constructor(ports: RoomPorts) {
    this.#ports = ports;
  }

  /** Whoever has the turn's stream open lacks nothing. */
  read(user: string, activeTurnId: string | undefined): void {
    if (activeTurnId === undefined || this.#streams.has(key(user, activeTurnId))) this.#reads.delete(user);
    else this.#reads.set(user, { turnId: activeTurnId, endedAt: undefined });
  }

  turnEnded(turnId: string): void {
    for (const [user, read] of this.#reads) {
      if (read.turnId === turnId) read.endedAt = this.#ports.clock.now();
      else if (this.owed(user) === undefined) this.#reads.delete(user);
    }
  }

  /** The turn that this person's page lacks, if it ended a moment ago. */
  owed(user: string): string | undefined {
    const { turnId, endedAt = Number.NEGATIVE_INFINITY } = this.#reads.get(user) ?? {};
    const { clock, times } = this.#ports;
    return endedAt + times.lateResumeMs > clock.now() ? turnId : undefined;
  }

  /** A stream brings a page up to date by itself. */
  opened(user: string, turnId: string): void {
    this.#reads.delete(user);
    this.#streams.set(key(user, turnId), (this.#streams.get(key(user, turnId)) ?? 0) + 1);
  }

  closed(user: string, turnId: string): void {
    const rest = (this.#streams.get(key(user, turnId)) ?? 1) - 1;
    if (rest > 0) this.#streams.set(key(user, turnId), rest);
    else this.#streams.delete(key(user, turnId));
  }
}

function key(user: string, turnId: string): string {
  return `${turnId} ${user}`;
}
