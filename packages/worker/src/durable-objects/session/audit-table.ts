import { type AuditEntry, auditEntry } from "@agent-ops/shared/events";
import { LIMITS } from "@agent-ops/shared/limits";
import { z } from "zod";
import type { RoomStorage } from "./storage.ts";

const row = z.object({ position: z.number(), entry: z.string() });

/** `before` says that there are older entries, and where to read on. */
export type AuditPage = { audit: AuditEntry[]; before?: number };

/** Who did what in a session; the newest entries are kept. */
export class AuditTable {
  static readonly TABLE = "CREATE TABLE audit (position INTEGER PRIMARY KEY AUTOINCREMENT, entry TEXT NOT NULL)";

  #storage: RoomStorage;

  constructor(storage: RoomStorage) {
    this.#storage = storage;
  }

  add(entry: AuditEntry): void {
    const added = this.#storage.all(
      "INSERT INTO audit (entry) VALUES (?) RETURNING position",
      JSON.stringify(entry),
    )[0];
    this.#storage.all("DELETE FROM audit WHERE position <= ?", Number(added?.position) - LIMITS.auditEntries);
  }

  /** The newest entries below a place, oldest first. */
  page(limit: number, before = Number.MAX_SAFE_INTEGER): AuditPage {
    const query = "SELECT position, entry FROM audit WHERE position < ? ORDER BY position DESC LIMIT ?";
    const found = z.array(row).parse(this.#storage.all(query, before, limit + 1));
    const shown = found.slice(0, limit).reverse();
    const audit = shown.map(({ entry }) => auditEntry.parse(JSON.parse(entry)));
    return { audit, ...(found.length > limit && shown[0] ? { before: shown[0].position } : {}) };
  }
}
