export type SqlValue = string | number | null;

/** The part of a Durable Object's storage that the rooms use; plain Node SQLite fits it too. */
export interface RoomStorage {
  all(query: string, ...bindings: SqlValue[]): Record<string, unknown>[];
  transaction<T>(work: () => T): T;
}

export interface Clock {
  now(): number;
  /** Runs `work` after `ms`; the result cancels it. */
  after(ms: number, work: () => void): () => void;
}
