import { readdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { ACTORS, sessionIdOf } from "./stored-log.ts";

type Row = Record<string, string | number | null>;

/**
 * Repeats what people and the agent said in a session, on disk, until it has so many messages: each turn again and again
 * under ids of its own, with its record and its message pieces. The product must not be running.
 */
export function growHistory(data: string, sessionId: string, messages: number): void {
  for (const file of readdirSync(join(data, ACTORS)).filter((name) => name.endsWith(".sqlite"))) {
    const database = new DatabaseSync(join(data, ACTORS, file));
    try {
      if (sessionIdOf(database) === sessionId) return grow(database, messages);
    } finally {
      database.close();
    }
  }
  throw new Error(`No stored session ${sessionId}.`);
}

function grow(database: DatabaseSync, wanted: number): void {
  const turns = rows(database, "SELECT turn_id, prompt_id, state, start_seq, prompt FROM turns ORDER BY position");
  const messages = rows(
    database,
    "SELECT id, body FROM messages JOIN message_pieces USING (position) ORDER BY position",
  );
  const addTurn = inserter(database, "turns", ["turn_id", "prompt_id", "state", "start_seq", "prompt"]);
  const addAudit = inserter(database, "audit", ["entry"]);
  database.exec("BEGIN");
  for (let count = messages.length, copy = 1; count < wanted; copy++) {
    for (const turn of turns) {
      const own = messages.filter(({ body }) => String(body).includes(String(turn.turn_id)));
      if (count + own.length > wanted) continue;
      const rename = (text: string | number | null | undefined) => renamed(text, turn, copy);
      addTurn.run(
        rename(turn.turn_id),
        rename(turn.prompt_id),
        turn.state ?? "",
        turn.start_seq ?? null,
        rename(turn.prompt),
      );
      addAudit.run(JSON.stringify({ ts: copy, userId: "alice", action: "prompt", detail: rename(turn.turn_id) }));
      for (const message of own) addMessage(database, rename(message.id), rename(message.body));
      count += own.length;
    }
  }
  database.exec("COMMIT");
}

function addMessage(database: DatabaseSync, id: string, body: string): void {
  const { lastInsertRowid } = database.prepare("INSERT INTO messages (id) VALUES (?)").run(id);
  database.prepare("INSERT INTO message_pieces (position, piece, body) VALUES (?, 0, ?)").run(lastInsertRowid, body);
}

function renamed(text: string | number | null | undefined, turn: Row, copy: number): string {
  const ids = [turn.turn_id, turn.prompt_id].map(String);
  return ids.reduce((result, id) => result.replaceAll(id, `${id}-${copy}`), String(text));
}

function rows(database: DatabaseSync, query: string): Row[] {
  return database.prepare(query).all() as Row[]; // text and whole numbers alone
}

function inserter(database: DatabaseSync, table: string, columns: string[]) {
  const places = columns.map(() => "?").join();
  return database.prepare(`INSERT INTO ${table} (${columns.join()}) VALUES (${places})`);
}
