import type { RoomStorage } from "./storage.ts";

/** Long texts are kept in several rows. */
const PIECE_CHARS = 256 * 1024;

/** SQLite keeps UTF-8: a pair of surrogates must not be cut. */
export function* pieces(body: string): Generator<string> {
  for (let at = 0; at < body.length; ) {
    const end = at + PIECE_CHARS;
    const splitsPair = end < body.length && (body.charCodeAt(end - 1) & 0xfc00) === 0xd800;
    const next = splitsPair ? end - 1 : end;
    yield body.slice(at, next);
    at = next;
  }
}

const PUT = `INSERT INTO latest (name, piece, body) VALUES (?, ?, ?)
  ON CONFLICT (name, piece) DO UPDATE SET body = excluded.body`;

/** The latest of something that is told now and then. */
export class LatestTable {
  static readonly TABLES = [
    `CREATE TABLE latest (name TEXT NOT NULL, piece INTEGER NOT NULL, body TEXT NOT NULL,
      PRIMARY KEY (name, piece)) WITHOUT ROWID`,
  ];

  #storage: RoomStorage;

  constructor(storage: RoomStorage) {
    this.#storage = storage;
  }

  put(name: string, value: unknown): void {
    let piece = 0;
    for (const text of pieces(JSON.stringify(value))) this.#storage.all(PUT, name, piece++, text);
    this.#storage.all("DELETE FROM latest WHERE name = ? AND piece >= ?", name, piece);
  }

  get(name: string): unknown {
    const rows = this.#storage.all("SELECT body FROM latest WHERE name = ? ORDER BY piece", name);
    return rows.length === 0 ? undefined : JSON.parse(rows.map(({ body }) => String(body)).join(""));
  }
}
