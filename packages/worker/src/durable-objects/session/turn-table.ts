import { promptInput } from "@agent-ops/shared/frames";
import { z } from "zod";
import { ChannelTable } from "./channel-table.ts";
import type { RoomStorage } from "./storage.ts";
import type { Prompt } from "./turn-machine.ts";

const prompt = promptInput.extend({
  /** Earlier versions took any. */
  model: z.string().optional(),
  turnId: z.string(),
  userId: z.string(),
  createdAt: z.number(),
  trigger: z.enum(["submit", "regenerate"]).optional(),
  onDisconnect: z.enum(["abort", "detach"]).optional(),
  replaces: z.object({ messageId: z.string(), itself: z.boolean() }).optional(),
  withKey: z.boolean().optional(),
});

const row = z.object({
  state: z.enum(["queued", "active", "stopping", "ended", "withdrawn"]),
  start_seq: z.number().nullable(),
  prompt: z.string(),
});

const standingRow = row.omit({ prompt: true }).extend({ turn_id: z.string(), position: z.number() });

/** `position` is its place among all that were ever asked for. */
export type Standing = { turnId: string; position: number; hasBegun: boolean; hasEnded: boolean };

export type StoredTurn = { prompt: Prompt; state: z.infer<typeof row>["state"]; startSeq: number | undefined };

/** Every turn that was ever asked for, in the order of asking. */
export class TurnTable {
  static readonly TABLES = [
    `CREATE TABLE turns (position INTEGER PRIMARY KEY AUTOINCREMENT, turn_id TEXT UNIQUE NOT NULL,
      prompt_id TEXT NOT NULL, state TEXT NOT NULL, start_seq INTEGER, prompt TEXT NOT NULL)`,
    "CREATE INDEX prompt_turns ON turns (prompt_id)",
    "CREATE INDEX open_turns ON turns (state) WHERE state IN ('queued', 'active', 'stopping')",
    ChannelTable.TABLE,
  ];

  readonly channels: ChannelTable;
  #storage: RoomStorage;

  constructor(storage: RoomStorage) {
    this.#storage = storage;
    this.channels = new ChannelTable(storage);
  }

  add(value: Prompt): void {
    if (value.channel) this.channels.add(value.channel);
    this.#storage.all(
      "INSERT INTO turns (turn_id, prompt_id, state, prompt) VALUES (?, ?, 'queued', ?)",
      value.turnId,
      value.id,
      JSON.stringify(value),
    );
  }

  start(turnId: string, startSeq: number): void {
    this.#storage.all("UPDATE turns SET state = 'active', start_seq = ? WHERE turn_id = ?", startSeq, turnId);
  }

  setState(turnId: string, state: StoredTurn["state"]): void {
    this.#storage.all("UPDATE turns SET state = ? WHERE turn_id = ?", state, turnId);
  }

  /** From now on the turn runs on, whoever leaves. */
  detach(turn: StoredTurn): void {
    const body = JSON.stringify({ ...turn.prompt, onDisconnect: "detach" });
    this.#storage.all("UPDATE turns SET prompt = ? WHERE turn_id = ?", body, turn.prompt.turnId);
  }

  get(turnId: string): StoredTurn | undefined {
    return this.#select("WHERE turn_id = ?", turnId)[0];
  }

  /** The newest turn of a prompt: an edit or a regenerate makes another one. */
  ofPrompt(promptId: string): StoredTurn | undefined {
    return this.#select("WHERE prompt_id = ? ORDER BY position DESC LIMIT 1", promptId)[0];
  }

  /** The first from this place on that has begun, and whose message is not out of the history again. */
  startedFrom(position: number): StoredTurn | undefined {
    const replaced = "SELECT 1 FROM messages WHERE id = turn_id AND removed = 1";
    const query = `WHERE position >= ? AND start_seq IS NOT NULL AND NOT EXISTS (${replaced}) ORDER BY position LIMIT 1`;
    return this.#select(query, position)[0];
  }

  /** Where it stands, without its prompt, which may be long. */
  standing(turnId: string): Standing | undefined {
    return this.#standings("WHERE turn_id = ?", turnId)[0];
  }

  lastStarted(): Standing | undefined {
    return this.#standings("WHERE start_seq IS NOT NULL ORDER BY position DESC LIMIT 1")[0];
  }

  #standings(rest: string, ...bindings: string[]): Standing[] {
    const rows = this.#storage.all(`SELECT turn_id, position, state, start_seq FROM turns ${rest}`, ...bindings);
    return z
      .array(standingRow)
      .parse(rows)
      .map((found) => ({
        turnId: found.turn_id,
        position: found.position,
        hasBegun: found.start_seq !== null,
        hasEnded: found.state === "ended",
      }));
  }

  last(): StoredTurn | undefined {
    return this.#select("ORDER BY position DESC LIMIT 1")[0];
  }

  open(): StoredTurn[] {
    return this.#select("WHERE state IN ('queued', 'active', 'stopping') ORDER BY position");
  }

  #select(rest: string, ...bindings: (string | number)[]): StoredTurn[] {
    const rows = this.#storage.all(`SELECT state, start_seq, prompt FROM turns ${rest}`, ...bindings);
    return z
      .array(row)
      .parse(rows)
      .map((found) => ({
        prompt: prompt.parse(JSON.parse(found.prompt)),
        state: found.state,
        startSeq: found.start_seq ?? undefined,
      }));
  }
}
