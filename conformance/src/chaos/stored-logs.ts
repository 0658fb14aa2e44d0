import { copyFileSync, existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { LogEvent } from "@agent-ops/shared/events";
import { type Message, message } from "@agent-ops/shared/message-parts";
import { ACTORS, readLog, sessionIdOf } from "../stored-log.ts";

type Places = { data: string; scratch: string };

/** The logs of all sessions as they lie on disk while nobody writes to them, beyond what is known. */
export function readStoredLogs(places: Places, known: ReadonlyMap<string, number>): Map<string, LogEvent[]> {
  return readStored(places, (database, sessionId) => readLog(database, known.get(sessionId) ?? 0));
}

/** The messages that all sessions show, oldest first. */
export function readStoredMessages(places: Places): Map<string, Message[]> {
  const query = `SELECT position, body FROM message_pieces JOIN messages USING (position)
    WHERE removed = 0 ORDER BY position, piece`;
  return readStored(places, (database) => {
    const rows = Map.groupBy(database.prepare(query).all(), ({ position }) => position);
    return [...rows.values()].map((pieces) => message.parse(JSON.parse(pieces.map(({ body }) => body).join(""))));
  });
}

/** Read from copies: what a killed process left is for its successor to mend. */
function readStored<T>(
  { data, scratch }: Places,
  read: (database: DatabaseSync, sessionId: string) => T,
): Map<string, T> {
  const folder = join(data, ACTORS);
  const copies = mkdtempSync(join(scratch, "stored-"));
  const found = new Map<string, T>();
  for (const name of readdirSync(folder).filter((file) => /^[0-9a-f]{64}\.sqlite$/.test(file))) {
    for (const file of [name, `${name}-wal`]) {
      if (existsSync(join(folder, file))) copyFileSync(join(folder, file), join(copies, file));
    }
    const database = new DatabaseSync(join(copies, name));
    const sessionId = sessionIdOf(database);
    if (sessionId !== undefined) found.set(sessionId, read(database, sessionId));
    database.close();
  }
  rmSync(copies, { recursive: true });
  return found;
}
