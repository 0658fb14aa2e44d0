import { DurableObject } from "cloudflare:workers";
import { LIMITS } from "@agent-ops/shared/limits";
import { type SessionView, sessionView } from "@agent-ops/shared/sessions";
import { z } from "zod";
import type { Env } from "../env.ts";

const tokenEntry = z.object({ id: z.string(), name: z.string(), createdAt: z.number(), expiresAt: z.number() });
type TokenEntry = z.infer<typeof tokenEntry>;

/** One person: the sessions they are a member of, and the sign-in codes they have used. */
export class UserAgent extends DurableObject<Env> {
  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    const { sql } = ctx.storage;
    sql.exec(
      "CREATE TABLE IF NOT EXISTS sessions (id TEXT PRIMARY KEY, created_at INTEGER NOT NULL, view TEXT NOT NULL)",
    );
    sql.exec(
      `CREATE TABLE IF NOT EXISTS tokens (id TEXT PRIMARY KEY, name TEXT NOT NULL, hash TEXT NOT NULL,
        created_at INTEGER NOT NULL, expires_at INTEGER NOT NULL)`,
    );
    sql.exec("CREATE TABLE IF NOT EXISTS used_codes (id TEXT PRIMARY KEY, expires_at INTEGER NOT NULL)");
  }

  put(view: SessionView): void {
    this.ctx.storage.sql.exec(
      `INSERT INTO sessions (id, created_at, view) VALUES (?, ?, ?)
        ON CONFLICT (id) DO UPDATE SET created_at = excluded.created_at, view = excluded.view`,
      view.id,
      view.createdAt,
      JSON.stringify(view),
    );
  }

  has(sessionId: string): boolean {
    return this.ctx.storage.sql.exec("SELECT 1 FROM sessions WHERE id = ?", sessionId).toArray().length > 0;
  }

  remove(sessionId: string): void {
    this.ctx.storage.sql.exec("DELETE FROM sessions WHERE id = ?", sessionId);
  }

  /** Newest first. */
  list(): SessionView[] {
    const rows = this.ctx.storage.sql.exec("SELECT view FROM sessions ORDER BY created_at DESC, id").toArray();
    return z
      .array(z.object({ view: z.string() }))
      .parse(rows)
      .map((row) => sessionView.parse(JSON.parse(row.view)));
  }

  /** Whether there was room for it; those that have expired make some. */
  addToken({ id, name, createdAt, expiresAt }: TokenEntry, hash: string): boolean {
    this.ctx.storage.sql.exec("DELETE FROM tokens WHERE expires_at <= ?", createdAt);
    if (this.tokens().length >= LIMITS.apiTokens) return false;
    this.ctx.storage.sql.exec(
      "INSERT INTO tokens (id, name, hash, created_at, expires_at) VALUES (?, ?, ?, ?, ?)",
      id,
      name,
      hash,
      createdAt,
      expiresAt,
    );
    return true;
  }

  tokens(): TokenEntry[] {
    const rows = this.ctx.storage.sql.exec(
      "SELECT id, name, created_at AS createdAt, expires_at AS expiresAt FROM tokens ORDER BY created_at, id",
    );
    return z.array(tokenEntry).parse(rows.toArray());
  }

  /** Until when the token is good; undefined where it is not. */
  checkToken(id: string, hash: string): number | undefined {
    const query = "SELECT expires_at FROM tokens WHERE id = ? AND hash = ? AND expires_at > ?";
    const found = this.ctx.storage.sql.exec(query, id, hash, Date.now()).toArray()[0];
    return found && z.number().parse(found.expires_at);
  }

  hasToken(id: string): boolean {
    const query = "SELECT 1 FROM tokens WHERE id = ? AND expires_at > ?";
    return this.ctx.storage.sql.exec(query, id, Date.now()).toArray().length > 0;
  }

  revokeToken(id: string): boolean {
    return this.ctx.storage.sql.exec("DELETE FROM tokens WHERE id = ?", id).rowsWritten > 0;
  }

  /** ACL3: true the first time only. */
  useCode(id: string, expiresAt: number): boolean {
    const { sql } = this.ctx.storage;
    sql.exec("DELETE FROM used_codes WHERE expires_at < ?", Date.now());
    return sql.exec("INSERT OR IGNORE INTO used_codes (id, expires_at) VALUES (?, ?)", id, expiresAt).rowsWritten > 0;
  }
}
