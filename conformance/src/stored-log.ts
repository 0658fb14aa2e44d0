import { readdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { LogEvent } from "@agent-ops/shared/events";

const ACTORS = "private/worker/do/agent-ops-SessionAgent";

/** The log as it lies on disk, read without the product. */
export function storedLog(data: string, sessionId: string): LogEvent[] {
  for (const file of readdirSync(join(data, ACTORS)).filter((name) => /^[0-9a-f]{64}\.sqlite$/.test(name))) {
    const database = new DatabaseSync(join(data, ACTORS, file), { readOnly: true });
    try {
      if (isSession(database, sessionId)) return readLog(database);
    } finally {
      database.close();
    }
  }
  throw new Error(`No stored session ${sessionId}.`);
}

function isSession(database: DatabaseSync, sessionId: string): boolean {
  const tables = database.prepare("SELECT 1 FROM sqlite_master WHERE name = 'meta'").all();
  if (tables.length === 0) return false;
  const row = database.prepare("SELECT value FROM meta WHERE key = 'session'").get();
  return row !== undefined && JSON.parse(String(row.value)).id === sessionId;
}

function readLog(database: DatabaseSync): LogEvent[] {
  const rows = database.prepare("SELECT events FROM log ORDER BY first_seq").all();
  return rows.flatMap((row): LogEvent[] => JSON.parse(String(row.events)));
}
