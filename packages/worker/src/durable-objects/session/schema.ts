import { ChannelTable } from "./channel-table.ts";
import { MessageTable } from "./message-table.ts";
import type { RoomStorage } from "./storage.ts";
import { LatestTable } from "./text-pieces.ts";

/** What brings the tables of a session that was made earlier from one version to the next, oldest first. */
const UPGRADES: readonly (readonly string[])[] = [
  [
    "ALTER TABLE members ADD COLUMN origin TEXT NOT NULL DEFAULT 'own'",
    "CREATE TABLE lease (id INTEGER PRIMARY KEY, epoch INTEGER NOT NULL, seq INTEGER NOT NULL)",
    `INSERT INTO lease SELECT 1, json_extract(value, '$.epoch'), json_extract(value, '$.seq')
      FROM meta WHERE key = 'lease'`,
    "DELETE FROM meta WHERE key = 'lease'",
    ...LatestTable.TABLES,
    ChannelTable.TABLE,
    ChannelTable.BACKFILL,
  ],
  ["ALTER TABLE log ADD COLUMN epoch INTEGER", "ALTER TABLE log ADD COLUMN runner_seq INTEGER", MessageTable.REMOVED],
];

const CURRENT = UPGRADES.length + 1;

/** The tables of a new session are current. */
export function markCurrent(storage: RoomStorage): void {
  storage.all("INSERT OR REPLACE INTO meta (key, value) VALUES ('schema', ?)", String(CURRENT));
}

/** LOG12: a session of an earlier version is brought up to date before anything reads it. */
export function upgrade(storage: RoomStorage): void {
  const found = storage.all("SELECT value FROM meta WHERE key = 'schema'")[0];
  const version = Number(found?.value ?? 1);
  if (version > CURRENT) throw new Error(`This session was stored by a newer version (${version}); update Agent Ops.`);
  if (version === CURRENT) return;
  storage.transaction(() => {
    for (const statement of UPGRADES.slice(version - 1).flat()) storage.all(statement);
    markCurrent(storage);
  });
}
