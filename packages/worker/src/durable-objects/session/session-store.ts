import { agentOptions } from "@agent-ops/shared/agent-options";
import { type Role, role, sessionInfo } from "@agent-ops/shared/sessions";
import { z } from "zod";
import { AuditTable } from "./audit-table.ts";
import { ChildTable } from "./child-table.ts";
import { EventLog } from "./event-log.ts";
import { MessageTable } from "./message-table.ts";
import { QuestionTable } from "./question-table.ts";
import { markCurrent, upgrade } from "./schema.ts";
import type { RoomStorage } from "./storage.ts";
import { LatestTable } from "./text-pieces.ts";
import { TurnTable } from "./turn-table.ts";

const sessionRecord = sessionInfo.extend({
  workspace: z.string().optional(),
  ...agentOptions.shape,
  agentSessionId: z.string().optional(),
  onDisconnect: z.enum(["abort", "detach"]).optional(),
  /** A person chose the title, so the agent does not change it. */
  titledByPerson: z.boolean().optional(),
  /** How often it has begun to run. */
  runs: z.number().optional(),
});
export type SessionRecord = z.infer<typeof sessionRecord>;

/** The runner's lease: its epoch, and the last of its event numbers that is stored. */
const lease = z.object({ epoch: z.number(), seq: z.number() });
export type Lease = z.infer<typeof lease>;

export const memberSchema = z.object({ user: z.string(), role });
export type Member = z.infer<typeof memberSchema>;

/** It is stored with each row of the log, and by itself where there is none to store. The later one holds. */
const LEASE = `SELECT epoch, seq FROM lease
  UNION ALL SELECT epoch, runner_seq FROM (SELECT epoch, runner_seq FROM log ORDER BY first_seq DESC LIMIT 1)
  ORDER BY epoch DESC, seq DESC LIMIT 1`;

const GENERATIONS_KEPT = 64;

const TABLES = [
  "CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL)",
  "CREATE TABLE lease (id INTEGER PRIMARY KEY, epoch INTEGER NOT NULL, seq INTEGER NOT NULL)",
  "CREATE TABLE generations (generation INTEGER PRIMARY KEY, stored_seq INTEGER NOT NULL)",
  "CREATE TABLE members (user TEXT PRIMARY KEY, role TEXT NOT NULL, origin TEXT NOT NULL) WITHOUT ROWID",
  AuditTable.TABLE,
  "CREATE TABLE deadlines (name TEXT PRIMARY KEY, at INTEGER NOT NULL) WITHOUT ROWID",
  ...TurnTable.TABLES,
  ...MessageTable.TABLES,
  ...QuestionTable.TABLES,
  ...LatestTable.TABLES,
];

/** Everything a session keeps beside its log. Callers group writes into transactions. */
export class SessionStore {
  readonly turns: TurnTable;
  readonly messages: MessageTable;
  readonly questions: QuestionTable;
  readonly children: ChildTable;
  readonly latest: LatestTable;
  readonly audit: AuditTable;
  #storage: RoomStorage;

  constructor(storage: RoomStorage) {
    this.#storage = storage;
    upgrade(storage);
    this.turns = new TurnTable(storage);
    this.messages = new MessageTable(storage);
    this.questions = new QuestionTable(storage);
    this.children = new ChildTable(storage);
    this.latest = new LatestTable(storage);
    this.audit = new AuditTable(storage);
  }

  static exists(storage: RoomStorage): boolean {
    return storage.all("SELECT 1 FROM sqlite_master WHERE name = 'meta'").length > 0;
  }

  /** `family` are the members of the session it was made from. */
  static create(storage: RoomStorage, record: SessionRecord, owner: string, family: readonly Member[] = []): void {
    storage.transaction(() => {
      for (const table of TABLES) storage.all(table);
      EventLog.createTable(storage);
      markCurrent(storage);
      const store = new SessionStore(storage);
      store.saveRecord(record);
      // A session that is made again under its old id must not begin with leases that a runner may remember.
      store.saveLease({ epoch: record.createdAt, seq: 0 });
      for (const relative of family) store.saveMember(relative.user, relative.role, "inherited");
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
    return lease.parse(this.#storage.all(LEASE)[0]);
  }

  saveLease(value: Lease): void {
    const query =
      "INSERT INTO lease VALUES (1, ?, ?) ON CONFLICT DO UPDATE SET epoch = excluded.epoch, seq = excluded.seq";
    this.#storage.all(query, value.epoch, value.seq);
  }

  generation(): number {
    return z.number().parse(this.#storage.all("SELECT coalesce(max(generation), 0) AS last FROM generations")[0]?.last);
  }

  /** A generation begins: up to here the log was stored when it did. */
  saveGeneration(generation: number, storedSeq: number): void {
    this.#storage.all("INSERT INTO generations (generation, stored_seq) VALUES (?, ?)", generation, storedSeq);
    this.#storage.all("DELETE FROM generations WHERE generation <= ?", generation - GENERATIONS_KEPT);
  }

  /** The highest seq that a reader of an earlier generation can rely on: what was stored when the next one began. */
  reliableSeq(generation: number): number | undefined {
    const next = this.#storage.all("SELECT stored_seq FROM generations WHERE generation = ?", generation + 1)[0];
    return next && z.number().parse(next.stored_seq);
  }

  roleOf(user: string): Role | undefined {
    const found = this.#storage.all("SELECT role FROM members WHERE user = ?", user)[0];
    return found && role.parse(found.role);
  }

  members(): Member[] {
    return z.array(memberSchema).parse(this.#storage.all("SELECT user, role FROM members ORDER BY user"));
  }

  /** SEC2: whether anybody beside the owner can have what its agent can reach. */
  isShared(): boolean {
    return this.members().length > 1 || this.#get("visited") === true;
  }

  /** A visitor was let in. */
  saveVisited(): void {
    this.#put("visited", true);
  }

  saveMember(user: string, memberRole: Role, origin: "own" | "inherited" = "own"): void {
    const query = "INSERT OR REPLACE INTO members (user, role, origin) VALUES (?, ?, ?)";
    this.#storage.all(query, user, memberRole, origin);
  }

  /** Whether what the person may do here follows from the parent session. */
  inherits(user: string): boolean {
    return this.#storage.all("SELECT 1 FROM members WHERE user = ? AND origin = 'own'", user).length === 0;
  }

  /** Who is a member because they are one of the parent session. */
  inherited(): string[] {
    const rows = this.#storage.all("SELECT user FROM members WHERE origin = 'inherited' ORDER BY user");
    return rows.map(({ user }) => String(user));
  }

  /** Counts the changes of what people may do, so that children can tell an earlier one from a later one. */
  membersVersion(): number {
    return Number(this.#get("members-version") ?? 0);
  }

  nextMembersVersion(): number {
    const version = this.membersVersion() + 1;
    this.#put("members-version", version);
    return version;
  }

  /** The newest version of the parent's members that is known here. */
  parentVersion(): number {
    return Number(this.#get("parent-version") ?? 0);
  }

  saveParentVersion(version: number): void {
    this.#put("parent-version", version);
  }

  removeMember(user: string): void {
    this.#storage.all("DELETE FROM members WHERE user = ?", user);
  }

  #get(key: string): unknown {
    const found = this.#storage.all("SELECT value FROM meta WHERE key = ?", key)[0];
    return found === undefined ? undefined : JSON.parse(String(found.value));
  }

  #put(key: string, value: unknown): void {
    this.#storage.all("INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)", key, JSON.stringify(value));
  }
}
