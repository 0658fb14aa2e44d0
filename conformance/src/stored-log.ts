import { readdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { LogEvent } from "@agent-ops/shared/events";

export const ACTORS = "private/worker/do/agent-ops-SessionAgent";

/** The log as it lies on disk, read without the product. */
export function storedLog(data: string, sessionId: string): LogEvent[] {
  for (const file of readdirSync(join(data, ACTORS)).filter((name) => /^[0-9a-f]{64}\.sqlite$/.test(name))) {
    const database = new DatabaseSync(join(data, ACTORS, file), { readOnly: true });
    try {
      if (sessionIdOf(database) === sessionId) return readLog(database);
    } finally {
      database.close();
    }
  }
  throw new Error(`No stored session ${sessionId}.`);
}

/** Whose database it is; undefined where it is no session's. */
export function sessionIdOf(database: DatabaseSync): string | undefined {
  const tables = database.prepare("SELECT 1 FROM sqlite_master WHERE name = 'meta'").all();
  if (tables.length === 0) return undefined;
  const row = database.prepare("SELECT value FROM meta WHERE key = 'session'").get();
  return row && JSON.parse(String(row.value)).id;
}

/** The stored events from the row on that holds the one after `after`. */
export function readLog(database: DatabaseSync, after = 0): LogEvent[] {
  const rows = database.prepare("SELECT events FROM log WHERE last_seq > ? ORDER BY first_seq").all(after);
  return rows.flatMap((row): LogEvent[] => JSON.parse(String(row.events)));
}
