import { LIMITS } from "@agent-ops/shared/limits";
import type { RoomPorts } from "./room-ports.ts";

/** The turn that a chat has read last, `half` of it where it left before the end; or the last one when it waited in vain. */
export type Place = { turnId: string | undefined; position: number; half: boolean };
type Noted = { user: string; at: number; place: Place };

/**
 * SSE9: where the chats are that wait for one turn after the other. Between two of their requests a turn may begin and
 * end. A chat is what a person's client calls so; pages that share its name share the place.
 */
export class ChatPlaces {
  #ports: RoomPorts;
  /** The oldest first. */
  #noted = new Map<string, Noted>();

  constructor(ports: RoomPorts) {
    this.#ports = ports;
  }

  of(user: string, chatId: string): Place | undefined {
    this.#expire();
    return this.#noted.get(keyOf(user, chatId))?.place;
  }

  /** A chat that has been further stays there. */
  note(user: string, chatId: string, place: Place): void {
    if (chatId.length > LIMITS.chatIdChars) return;
    if ((this.of(user, chatId)?.position ?? 0) > place.position) return;
    this.#noted.delete(keyOf(user, chatId));
    this.#noted.set(keyOf(user, chatId), { user, at: this.#ports.clock.now(), place });
  }

  /** Their pages have the history by now. */
  forget(user: string): void {
    for (const [key, noted] of this.#noted) if (noted.user === user) this.#noted.delete(key);
  }

  #expire(): void {
    const since = this.#ports.clock.now() - this.#ports.times.lateResumeMs;
    for (const [key, { at }] of this.#noted) {
      if (at > since) return;
      this.#noted.delete(key);
    }
  }
}

function keyOf(user: string, chatId: string): string {
  return JSON.stringify([user, chatId]);
}
