import { z } from "zod";
import type { RoomStorage } from "./storage.ts";

const list = z.array(z.object({ id: z.string(), type: z.string().nullable() }));

/** The channels that prompts have named. One without a type is kept with an empty one. */
export class ChannelTable {
  static readonly TABLE =
    "CREATE TABLE channels (id TEXT NOT NULL, type TEXT NOT NULL, PRIMARY KEY (id, type)) WITHOUT ROWID";
  /** From prompts that were stored before there was this table. */
  static readonly BACKFILL = `INSERT INTO channels
    SELECT DISTINCT json_extract(prompt, '$.channel.id'), coalesce(json_extract(prompt, '$.channel.type'), '')
      FROM turns WHERE json_extract(prompt, '$.channel.id') IS NOT NULL`;

  #storage: RoomStorage;

  constructor(storage: RoomStorage) {
    this.#storage = storage;
  }

  add({ id, type = "" }: { id: string; type?: string | undefined }): void {
    this.#storage.all("INSERT OR IGNORE INTO channels (id, type) VALUES (?, ?)", id, type);
  }

  all(): z.infer<typeof list> {
    return list.parse(this.#storage.all("SELECT id, nullif(type, '') AS type FROM channels ORDER BY id, type"));
  }
}
