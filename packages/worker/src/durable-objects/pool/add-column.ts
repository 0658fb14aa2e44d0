import type { RoomStorage } from "../session/storage.ts";

/** Brings a table that an earlier version made up to date. */
export function addColumn(storage: RoomStorage, table: string, column: string, definition: string): void {
  const query = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ? AND instr(sql, ?) > 0";
  if (storage.all(query, table, column).length > 0) return;
  storage.all(`ALTER TABLE ${table} ADD COLUMN ${column} ${definition}`);
}
