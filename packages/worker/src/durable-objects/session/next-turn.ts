import type { Access } from "../../lib/access.ts";
import type { Place } from "./chat-places.ts";
import type { SessionRoom } from "./session-room.ts";
import type { StoredTurn } from "./turn-table.ts";

/** Who waits; `gone` tells when they do not any more. */
type Waiter = { user: string; gone?: AbortSignal | undefined; holder?: Access | undefined };
type Wish = { chatId: string; waitSeconds: number; fresh: boolean };

/** Before the first turn. */
const BEGINNING = { turnId: undefined, position: 0 };

/** SSE9: the turn that runs; for a chat that waits, the first that it has not read, when that has begun. */
export async function nextTurn(room: SessionRoom, waiter: Waiter, wish: Wish): Promise<string | undefined> {
  const { turns, store } = room;
  const { chatId, waitSeconds, fresh } = wish;
  if (waitSeconds === 0) return turns.activeTurnId;
  const until = room.now() + waitSeconds * 1000;
  const noted = () => turns.places.of(waiter.user, chatId);
  const last = (): Place => ({ ...((!fresh && store.turns.lastStarted()) || BEGINNING), half: false });
  const first = noted() ?? (fresh || turns.activeTurnId === undefined ? last() : undefined);
  while (!waiter.gone?.aborted) {
    const found = unread(room, noted() ?? first);
    if (found) return found;
    if (room.now() >= until) break;
    await turns.nextNews(until - room.now());
    room.requireOpen();
    if (waiter.holder) room.door.roleOf(waiter.holder);
  }
  if (waiter.gone?.aborted) return undefined;
  turns.places.note(waiter.user, chatId, noted() ?? first ?? last());
  return undefined;
}

/** What a chat at this place has not read: the rest of a turn, one that was missed, or the one that runs. */
function unread(room: SessionRoom, place: Place | undefined): string | undefined {
  const active = room.turns.activeTurnId;
  if (!place) return active;
  // Whose stream ended for an approval would get the same again at once.
  if (place.turnId !== undefined && place.turnId === active && room.turns.rests(active)) return undefined;
  const next = room.store.turns.startedFrom(place.half ? place.position : place.position + 1);
  return next && isLogged(room, next) ? next.prompt.turnId : undefined;
}

export function isLogged(room: SessionRoom, { startSeq }: StoredTurn): boolean {
  return startSeq === undefined || startSeq + 1 >= room.journal.log.firstSeq;
}
