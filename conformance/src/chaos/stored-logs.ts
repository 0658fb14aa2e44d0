import { copyFileSync, existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { LogEvent } from "@agent-ops/shared/events";
import { ACTORS, readLog, sessionIdOf } from "../stored-log.ts";

/**
 * The logs of all sessions as they lie on disk while nobody writes to them, beyond what is known. Read from copies: what
 * a killed process left is for its successor to mend.
 */
export function readStoredLogs(
  data: string,
  scratch: string,
  known: ReadonlyMap<string, number>,
): Map<string, LogEvent[]> {
  const folder = join(data, ACTORS);
  const copies = mkdtempSync(join(scratch, "stored-"));
  const logs = new Map<string, LogEvent[]>();
  for (const name of readdirSync(folder).filter((file) => /^[0-9a-f]{64}\.sqlite$/.test(file))) {
    for (const file of [name, `${name}-wal`]) {
      if (existsSync(join(folder, file))) copyFileSync(join(folder, file), join(copies, file));
    }
    const database = new DatabaseSync(join(copies, name));
    const sessionId = sessionIdOf(database);
    if (sessionId !== undefined) logs.set(sessionId, readLog(database, known.get(sessionId) ?? 0));
    database.close();
  }
  rmSync(copies, { recursive: true });
  return logs;
}
