import type { TurnHistory } from "@agent-ops/shared/frames";
import { type Message, message } from "@agent-ops/shared/message-parts";
import { z } from "zod";
import type { RoomStorage } from "./storage.ts";
import { pieces } from "./text-pieces.ts";

const pieceRow = z.object({ position: z.number(), body: z.string() });
const idRow = z.object({ id: z.string() });
const sizeRow = z.object({ position: z.number(), chars: z.number() });

/** What was replaced longest ago is not told any more. */
const REMOVED_RANGES = 200;

/** The most that a page holds, and where it ends. */
export type PageBounds = { limit: number; chars: number; before?: number | undefined };
export type MessagePage = { messages: Message[]; first: number | undefined };

/** The history: messages in their order. What an edit or a regenerate replaced stays stored but is no longer shown. */
export class MessageTable {
  static readonly REMOVED = "CREATE INDEX removed_messages ON messages (position) WHERE removed = 1";
  static readonly TABLES = [
    "CREATE TABLE messages (position INTEGER PRIMARY KEY, id TEXT NOT NULL, removed INTEGER NOT NULL DEFAULT 0)",
    "CREATE INDEX message_ids ON messages (id)",
    MessageTable.REMOVED,
    `CREATE TABLE message_pieces (position INTEGER NOT NULL, piece INTEGER NOT NULL, body TEXT NOT NULL,
      PRIMARY KEY (position, piece))`,
  ];

  #storage: RoomStorage;

  constructor(storage: RoomStorage) {
    this.#storage = storage;
  }

  add(value: Message): void {
    const inserted = this.#storage.all("INSERT INTO messages (id) VALUES (?) RETURNING position", value.id)[0];
    const position = z.number().parse(inserted?.position);
    const body = JSON.stringify(value);
    let piece = 0;
    for (const text of pieces(body)) {
      this.#storage.all("INSERT INTO message_pieces (position, piece, body) VALUES (?, ?, ?)", position, piece++, text);
    }
  }

  /** The last messages below `before`, oldest first, and where the page begins. It has one at least, however long. */
  page({ limit, chars, before = Number.MAX_SAFE_INTEGER }: PageBounds): MessagePage {
    const sizes = this.#storage.all(
      `SELECT position, sum(length(body)) AS chars FROM message_pieces WHERE position IN
        (SELECT position FROM messages WHERE removed = 0 AND position < ? ORDER BY position DESC LIMIT ?)
        GROUP BY position ORDER BY position DESC`,
      before,
      limit,
    );
    const first = firstWithin(z.array(sizeRow).parse(sizes), chars);
    if (first === undefined) return { messages: [], first };
    const rows = this.#storage.all(
      `SELECT position, body FROM message_pieces JOIN messages USING (position)
        WHERE removed = 0 AND position >= ? AND position < ? ORDER BY position, piece`,
      first,
      before,
    );
    const bodies = Map.groupBy(z.array(pieceRow).parse(rows), ({ position }) => position);
    const messages = [...bodies.values()].map((all) => message.parse(JSON.parse(all.map(({ body }) => body).join(""))));
    return { messages, first };
  }

  /** The place that the answer of a turn which begins now will have, and what is no longer in the history. */
  outline(): TurnHistory {
    const last = this.#storage.all("SELECT coalesce(max(position), 0) AS position FROM messages");
    const removed = this.#storage.all("SELECT position FROM messages WHERE removed = 1 ORDER BY position");
    return { place: positionOf(last[0]) + 1, removed: rangesOf(removed.map(positionOf)).slice(-REMOVED_RANGES) };
  }

  /** Takes everything after a message out of the history, and the message `itself` where asked; their ids. */
  removeAfter(messageId: string, itself: boolean): string[] {
    const found = this.#storage.all(
      "SELECT max(position) AS position FROM messages WHERE removed = 0 AND id = ?",
      messageId,
    )[0];
    if (typeof found?.position !== "number") return [];
    const first = found.position + (itself ? 0 : 1);
    const rows = this.#storage.all(
      "SELECT id FROM messages WHERE removed = 0 AND position >= ? ORDER BY position",
      first,
    );
    this.#storage.all("UPDATE messages SET removed = 1 WHERE position >= ?", first);
    return z
      .array(idRow)
      .parse(rows)
      .map(({ id }) => id);
  }
}

/** Where a page begins that goes back as far as so many characters allow. */
function firstWithin(newestFirst: z.infer<typeof sizeRow>[], chars: number): number | undefined {
  let total = 0;
  let first: number | undefined;
  for (const message of newestFirst) {
    total += message.chars;
    if (first !== undefined && total > chars) break;
    first = message.position;
  }
  return first;
}

function positionOf(row: Record<string, unknown> | undefined): number {
  return z.number().parse(row?.position);
}

/** Numbers that follow each other, as the first and the last of them. */
function rangesOf(sorted: readonly number[]): [number, number][] {
  const ranges: [number, number][] = [];
  for (const value of sorted) {
    const current = ranges.at(-1);
    if (current && current[1] === value - 1) current[1] = value;
    else ranges.push([value, value]);
  }
  return ranges;
}
