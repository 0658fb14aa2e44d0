import { type AuditEntry, auditEntry } from "@agent-ops/shared/events";
import { promptInput } from "@agent-ops/shared/frames";
import { type Message, message } from "@agent-ops/shared/message-parts";
import { type Question, type QuestionResolution, question, questionResolution } from "@agent-ops/shared/questions";
import { type Role, role, sessionInfo } from "@agent-ops/shared/sessions";
import { z } from "zod";
import { EventLog } from "./event-log.ts";
import type { RoomStorage } from "./storage.ts";
import type { Prompt } from "./turn-machine.ts";

const sessionRecord = sessionInfo.extend({
  workspace: z.string().optional(),
  agentSessionId: z.string().optional(),
});
export type SessionRecord = z.infer<typeof sessionRecord>;

/** The runner's lease: its epoch, and the last of its event numbers that is stored. */
const lease = z.object({ epoch: z.number(), seq: z.number() });
export type Lease = z.infer<typeof lease>;

const prompt = promptInput.extend({ turnId: z.string(), userId: z.string(), createdAt: z.number() });
const turnRow = z.object({
  turn_id: z.string(),
  state: z.enum(["queued", "active", "stopping", "ended", "withdrawn"]),
  start_seq: z.number().nullable(),
  prompt: z.string(),
});
export type StoredTurn = {
  prompt: Prompt;
  state: z.infer<typeof turnRow>["state"];
  startSeq: number | undefined;
};

const MESSAGE_ROW_CHARS = 256 * 1024;
const GENERATIONS_KEPT = 64;

const TABLES = [
  "CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL)",
  "CREATE TABLE generations (generation INTEGER PRIMARY KEY, stored_seq INTEGER NOT NULL)",
  "CREATE TABLE members (user TEXT PRIMARY KEY, role TEXT NOT NULL)",
  `CREATE TABLE turns (position INTEGER PRIMARY KEY AUTOINCREMENT, turn_id TEXT UNIQUE NOT NULL,
    prompt_id TEXT UNIQUE NOT NULL, state TEXT NOT NULL, start_seq INTEGER, prompt TEXT NOT NULL)`,
  "CREATE INDEX open_turns ON turns (state) WHERE state IN ('queued', 'active', 'stopping')",
  `CREATE TABLE messages (position INTEGER NOT NULL, piece INTEGER NOT NULL, body TEXT NOT NULL,
    PRIMARY KEY (position, piece))`,
  "CREATE TABLE questions (question_id TEXT PRIMARY KEY, turn_id TEXT NOT NULL, body TEXT NOT NULL, resolution TEXT)",
  "CREATE INDEX turn_questions ON questions (turn_id)",
  "CREATE TABLE audit (position INTEGER PRIMARY KEY AUTOINCREMENT, entry TEXT NOT NULL)",
  "CREATE TABLE deadlines (name TEXT PRIMARY KEY, at INTEGER NOT NULL)",
];

/** Everything a session keeps beside its log. Callers group writes into transactions. */
export class SessionStore {
  readonly storage: RoomStorage;

  constructor(storage: RoomStorage) {
    this.storage = storage;
  }

  static exists(storage: RoomStorage): boolean {
    return storage.all("SELECT 1 FROM sqlite_master WHERE name = 'meta'").length > 0;
  }

  static create(storage: RoomStorage, record: SessionRecord, owner: string): void {
    storage.transaction(() => {
      for (const table of TABLES) storage.all(table);
      EventLog.createTable(storage);
      const store = new SessionStore(storage);
      store.saveRecord(record);
      store.saveLease({ epoch: 0, seq: 0 });
      store.saveMember(owner, "owner");
    });
  }

  record(): SessionRecord {
    return sessionRecord.parse(this.#get("session"));
  }

  saveRecord(record: SessionRecord): void {
    this.#put("session", record);
  }

  lease(): Lease {
    return lease.parse(this.#get("lease"));
  }

  saveLease(value: Lease): void {
    this.#put("lease", value);
  }

  generation(): number {
    return z.number().parse(this.storage.all("SELECT coalesce(max(generation), 0) AS last FROM generations")[0]?.last);
  }

  /** A generation begins: up to here the log was stored when it did. */
  saveGeneration(generation: number, storedSeq: number): void {
    this.storage.all("INSERT INTO generations (generation, stored_seq) VALUES (?, ?)", generation, storedSeq);
    this.storage.all("DELETE FROM generations WHERE generation <= ?", generation - GENERATIONS_KEPT);
  }

  /** The highest seq that a reader of an earlier generation can rely on: what was stored when the next one began. */
  reliableSeq(generation: number): number {
    const next = this.storage.all("SELECT stored_seq FROM generations WHERE generation = ?", generation + 1)[0];
    return next === undefined ? 0 : z.number().parse(next.stored_seq);
  }

  roleOf(user: string): Role | undefined {
    const found = this.storage.all("SELECT role FROM members WHERE user = ?", user)[0];
    return found && role.parse(found.role);
  }

  members(): { user: string; role: Role }[] {
    const rows = this.storage.all("SELECT user, role FROM members ORDER BY user");
    return z.array(z.object({ user: z.string(), role })).parse(rows);
  }

  saveMember(user: string, memberRole: Role): void {
    this.storage.all("INSERT OR REPLACE INTO members (user, role) VALUES (?, ?)", user, memberRole);
  }

  addTurn(value: Prompt): void {
    this.storage.all(
      "INSERT INTO turns (turn_id, prompt_id, state, prompt) VALUES (?, ?, 'queued', ?)",
      value.turnId,
      value.id,
      JSON.stringify(value),
    );
  }

  startTurn(turnId: string, startSeq: number): void {
    this.storage.all("UPDATE turns SET state = 'active', start_seq = ? WHERE turn_id = ?", startSeq, turnId);
  }

  setTurnState(turnId: string, state: StoredTurn["state"]): void {
    this.storage.all("UPDATE turns SET state = ? WHERE turn_id = ?", state, turnId);
  }

  turnOfPrompt(promptId: string): StoredTurn | undefined {
    return this.#turns("prompt_id = ?", promptId)[0];
  }

  turn(turnId: string): StoredTurn | undefined {
    return this.#turns("turn_id = ?", turnId)[0];
  }

  openTurns(): StoredTurn[] {
    return this.#turns("state IN ('queued', 'active', 'stopping')");
  }

  addMessage(value: Message): void {
    const position = z
      .number()
      .parse(this.storage.all("SELECT coalesce(max(position), 0) + 1 AS next FROM messages")[0]?.next);
    const body = JSON.stringify(value);
    for (let piece = 0; piece * MESSAGE_ROW_CHARS < body.length; piece++) {
      const text = body.slice(piece * MESSAGE_ROW_CHARS, (piece + 1) * MESSAGE_ROW_CHARS);
      this.storage.all("INSERT INTO messages (position, piece, body) VALUES (?, ?, ?)", position, piece, text);
    }
  }

  /** The last `limit` messages below `before`, oldest first, and where the page begins. */
  messages(limit: number, before = Number.MAX_SAFE_INTEGER): { messages: Message[]; first: number | undefined } {
    const rows = z.array(z.object({ position: z.number(), body: z.string() })).parse(
      this.storage.all(
        `SELECT position, body FROM messages WHERE position IN
          (SELECT DISTINCT position FROM messages WHERE position < ? ORDER BY position DESC LIMIT ?)
          ORDER BY position, piece`,
        before,
        limit,
      ),
    );
    const bodies = Map.groupBy(rows, (entry) => entry.position);
    const messages = [...bodies.values()].map((pieces) =>
      message.parse(JSON.parse(pieces.map((piece) => piece.body).join(""))),
    );
    return { messages, first: rows[0]?.position };
  }

  addQuestion(value: Question): void {
    const body = JSON.stringify(value);
    this.storage.all(
      "INSERT OR IGNORE INTO questions (question_id, turn_id, body) VALUES (?, ?, ?)",
      value.questionId,
      value.turnId,
      body,
    );
  }

  resolveQuestion(questionId: string, resolution: QuestionResolution): void {
    this.storage.all(
      "UPDATE questions SET resolution = ? WHERE question_id = ?",
      JSON.stringify(resolution),
      questionId,
    );
  }

  question(questionId: string): { question: Question; resolution: QuestionResolution | undefined } | undefined {
    return this.#questions("question_id = ?", questionId)[0];
  }

  questionsOf(turnId: string): { question: Question; resolution: QuestionResolution | undefined }[] {
    return this.#questions("turn_id = ?", turnId);
  }

  addAudit(entry: AuditEntry): void {
    this.storage.all("INSERT INTO audit (entry) VALUES (?)", JSON.stringify(entry));
  }

  recentAudit(limit: number): AuditEntry[] {
    const rows = this.storage.all("SELECT entry FROM audit ORDER BY position DESC LIMIT ?", limit);
    return rows.map((found) => auditEntry.parse(JSON.parse(String(found.entry)))).reverse();
  }

  #questions(where: string, value: string) {
    const rows = this.storage.all(`SELECT body, resolution FROM questions WHERE ${where} ORDER BY rowid`, value);
    return rows.map((found) => ({
      question: question.parse(JSON.parse(String(found.body))),
      resolution:
        found.resolution === null ? undefined : questionResolution.parse(JSON.parse(String(found.resolution))),
    }));
  }

  #turns(where: string, ...bindings: string[]): StoredTurn[] {
    const rows = this.storage.all(
      `SELECT turn_id, state, start_seq, prompt FROM turns WHERE ${where} ORDER BY position`,
      ...bindings,
    );
    return z
      .array(turnRow)
      .parse(rows)
      .map((found) => ({
        prompt: prompt.parse(JSON.parse(found.prompt)),
        state: found.state,
        startSeq: found.start_seq ?? undefined,
      }));
  }

  #get(key: string): unknown {
    const found = this.storage.all("SELECT value FROM meta WHERE key = ?", key)[0];
    return found === undefined ? undefined : JSON.parse(String(found.value));
  }

  #put(key: string, value: unknown): void {
    this.storage.all("INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)", key, JSON.stringify(value));
  }
}
