import { z } from "zod";
import { logError } from "../../lib/log.ts";
import { memberSchema } from "./session-store.ts";
import type { Clock } from "./storage.ts";

/** Under which name a session keeps what the lists were told last. */
export const TOLD = "told";

/** What lists of sessions show of one. */
const look = z.object({
  title: z.string(),
  status: z.string(),
  parentId: z.string().optional(),
  members: z.array(memberSchema),
  /** Who has it open. */
  people: z.array(z.string()),
});
export type Look = z.infer<typeof look>;

type Tools = {
  clock: Clock;
  /** How long those who are told at a restart, or were not reached, may wait. */
  againMs: number;
  look(): Look;
  /** What was told last, across restarts. */
  told: { get(): unknown; put(look: Look): void };
  /** Those who are gone were members when it was told last. */
  tell(look: Look, gone: string[]): Promise<void>;
};

/**
 * LIFE7, LIFE9: tells the members' lists of sessions how this one looks, and only where that is not what they were told last.
 * Of all that changes within a time they hear once.
 */
export class ListNews {
  #tools: Tools;
  #told: Look | undefined;
  #due = Number.POSITIVE_INFINITY;
  #cancel = () => {};
  #isTelling = false;

  constructor(tools: Tools) {
    this.#tools = tools;
    this.#told = look.optional().catch(undefined).parse(tools.told.get());
    // What changed before the server went down may not be told yet, and those who were there may not be back.
    if (!this.#isTold()) this.within(tools.againMs);
  }

  /** Something may have changed that they are to hear of within this time. */
  within(ms: number): void {
    const at = this.#tools.clock.now() + ms;
    if (at >= this.#due) return;
    this.#cancel();
    this.#due = at;
    if (ms > 0) this.#cancel = this.#tools.clock.after(ms, () => this.#onDue());
    else this.#onDue();
  }

  close(): void {
    this.#cancel();
    this.#due = Number.NEGATIVE_INFINITY;
  }

  #onDue(): void {
    this.#due = Number.POSITIVE_INFINITY;
    if (!this.#isTelling) void this.#tellAll();
  }

  /** One telling at a time, so that what is told last is what is true. */
  async #tellAll(): Promise<void> {
    this.#isTelling = true;
    try {
      while (this.#due === Number.POSITIVE_INFINITY && !this.#isTold()) await this.#tell();
    } catch (error) {
      logError("the lists of sessions were not told", error);
      this.within(this.#tools.againMs);
    } finally {
      this.#isTelling = false;
    }
  }

  async #tell(): Promise<void> {
    const now = this.#tools.look();
    const members = new Set(now.members.map(({ user }) => user));
    const before = this.#told?.members ?? [];
    await this.#tools.tell(
      now,
      before.map(({ user }) => user).filter((user) => !members.has(user)),
    );
    if (this.#due === Number.NEGATIVE_INFINITY) return;
    this.#told = now;
    // When it began to run, what was told before was forgotten: there is an end to be told of in any case.
    if (now.status !== "running") this.#tools.told.put(now);
  }

  #isTold(): boolean {
    return JSON.stringify(this.#told) === JSON.stringify(this.#tools.look());
  }
}
