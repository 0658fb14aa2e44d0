import type { Access } from "../../lib/access.ts";
import type { Place } from "./chat-places.ts";
import type { SessionRoom } from "./session-room.ts";
import type { StoredTurn } from "./turn-table.ts";

/** Who waits; `gone` tells when they do not any more. */
type Waiter = { user: string; gone?: AbortSignal | undefined; holder?: Access | undefined };
type Wish = { chatId: string; waitSeconds: number };

/** SSE9: the turn that runs; for a chat that waits, the first that it has not read, when that has begun. */
export async function nextTurn(room: SessionRoom, waiter: Waiter, wish: Wish): Promise<string | undefined> {
  const { turns, store } = room;
  const { chatId, waitSeconds } = wish;
  if (waitSeconds === 0) return turns.activeTurnId;
  const until = room.now() + waitSeconds * 1000;
  const noted = () => turns.places.of(waiter.user, chatId);
  const first = noted() ?? (turns.activeTurnId === undefined ? placeAt(room, store.turns.lastStarted()) : undefined);
  while (!waiter.gone?.aborted) {
    const found = unread(room, noted() ?? first);
    if (found) return found;
    if (room.now() >= until) break;
    await turns.nextNews(until - room.now());
    room.requireOpen();
    if (waiter.holder) room.door.roleOf(waiter.holder);
  }
  if (waiter.gone?.aborted) return undefined;
  turns.places.note(waiter.user, chatId, noted() ?? first ?? placeAt(room, store.turns.lastStarted()));
  return undefined;
}

/** Where a chat is that has read all that there was of a turn, or its stream to the end. */
export function placeAt(room: SessionRoom, turnId: string | undefined, half = false): Place {
  return { turnId, position: turnId === undefined ? 0 : room.store.turns.positionOf(turnId), half };
}

/** What a chat at this place has not read: a turn that was missed, or the one that runs. */
function unread(room: SessionRoom, place: Place | undefined): string | undefined {
  const half =
    place?.half && place.turnId !== room.turns.activeTurnId ? room.store.turns.get(place.turnId ?? "") : undefined;
  if (half && isLogged(room, half)) return half.prompt.turnId;
  const missed = place && room.store.turns.startedAfter(place.position);
  if (missed && isLogged(room, missed)) return missed.prompt.turnId;
  const active = room.turns.activeTurnId;
  // Who left it by themselves, or was sent away until people have answered, does not want it again at once.
  const isLeft = active !== undefined && place?.turnId === active && room.turns.rests(active);
  return isLeft ? undefined : active;
}

export function isLogged(room: SessionRoom, { startSeq }: StoredTurn): boolean {
  return startSeq === undefined || startSeq + 1 >= room.journal.log.firstSeq;
}
