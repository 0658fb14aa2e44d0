import { type Message, message } from "@agent-ops/shared/message-parts";
import { z } from "zod";
import type { RoomStorage } from "./storage.ts";

/** A long message is kept in several rows. */
const PIECE_CHARS = 256 * 1024;

const pieceRow = z.object({ position: z.number(), body: z.string() });
const idRow = z.object({ id: z.string() });

export type MessagePage = { messages: Message[]; first: number | undefined };

/** The history: messages in their order. What an edit or a regenerate replaced stays stored but is no longer shown. */
export class MessageTable {
  static readonly TABLES = [
    "CREATE TABLE messages (position INTEGER PRIMARY KEY, id TEXT NOT NULL, removed INTEGER NOT NULL DEFAULT 0)",
    "CREATE INDEX message_ids ON messages (id)",
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

  /** The last `limit` messages below `before`, oldest first, and where the page begins. */
  page(limit: number, before = Number.MAX_SAFE_INTEGER): MessagePage {
    const rows = this.#storage.all(
      `SELECT position, body FROM message_pieces WHERE position IN
        (SELECT position FROM messages WHERE removed = 0 AND position < ? ORDER BY position DESC LIMIT ?)
        ORDER BY position, piece`,
      before,
      limit,
    );
    const pieces = Map.groupBy(z.array(pieceRow).parse(rows), ({ position }) => position);
    const messages = [...pieces.values()].map((all) => message.parse(JSON.parse(all.map(({ body }) => body).join(""))));
    return { messages, first: pieces.keys().next().value };
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

/** SQLite keeps UTF-8: a pair of surrogates must not be cut. */
function* pieces(body: string): Generator<string> {
  for (let at = 0; at < body.length; ) {
    const end = at + PIECE_CHARS;
    const splitsPair = end < body.length && (body.charCodeAt(end - 1) & 0xfc00) === 0xd800;
    const next = splitsPair ? end - 1 : end;
    yield body.slice(at, next);
    at = next;
  }
}
