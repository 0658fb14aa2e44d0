import { LIMITS } from "@agent-ops/shared/limits";
import type { RoomPorts } from "./room-ports.ts";

type Read = { turnId: string; endedAt: number | undefined };
type Followed = { chatId: string; turnId: string; closedAt: number };

/**
 * SSE16: who read the history while a turn ran and has not joined that turn since. A page that loads reads first and
 * joins then; where the turn ends in between, it has neither the turn's message nor a turn to join.
 * SSE9: nor has a page that waits for one turn after the other, where one begins and ends between two of its requests.
 */
export class HistoryReads {
  #ports: RoomPorts;
  #reads = new Map<string, Read>();
  /** The turns whose streams a person's chats have read, the newest last: where each of them is. */
  #followed = new Map<string, Followed[]>();
  /** How many streams of a turn a person has open. */
  #streams = new Map<string, number>();

  constructor(ports: RoomPorts) {
    this.#ports = ports;
  }

  /** Whoever has the turn's stream open lacks nothing. */
  read(user: string, activeTurnId: string | undefined): void {
    this.#followed.delete(user);
    if (activeTurnId === undefined || this.#streams.has(key(user, activeTurnId))) this.#reads.delete(user);
    else this.#reads.set(user, { turnId: activeTurnId, endedAt: undefined });
  }

  turnEnded(turnId: string): void {
    for (const [user, read] of this.#reads) {
      if (read.turnId === turnId) read.endedAt = this.#ports.clock.now();
      else if (this.owed(user) === undefined) this.#reads.delete(user);
    }
    for (const user of this.#followed.keys()) this.#keep(user, this.#recent(user));
  }

  /** The turn after which this chat wants the next, if it read that a moment ago. */
  takeFollowed(user: string, chatId: string): string | undefined {
    const recent = this.#recent(user);
    const last = recent.findLast((followed) => followed.chatId === chatId);
    // One of those it read at once is left for another page with the same chat; where it was before, nobody is.
    const rest = recent.filter((each) => each.chatId !== chatId || (each.turnId === last?.turnId && each !== last));
    this.#keep(user, rest);
    return last?.turnId;
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

  closed(user: string, turnId: string, chatId: string | undefined): void {
    const rest = (this.#streams.get(key(user, turnId)) ?? 1) - 1;
    if (rest > 0) this.#streams.set(key(user, turnId), rest);
    else this.#streams.delete(key(user, turnId));
    if (chatId === undefined || chatId.length > LIMITS.followedChatChars) return;
    this.#keep(user, [...this.#recent(user), { chatId, turnId, closedAt: this.#ports.clock.now() }]);
  }

  #recent(user: string): Followed[] {
    const since = this.#ports.clock.now() - this.#ports.times.lateResumeMs;
    return (this.#followed.get(user) ?? []).filter(({ closedAt }) => closedAt > since);
  }

  #keep(user: string, followed: Followed[]): void {
    if (followed.length > 0) this.#followed.set(user, followed);
    else this.#followed.delete(user);
  }
}

function key(user: string, turnId: string): string {
  return `${turnId} ${user}`;
}
