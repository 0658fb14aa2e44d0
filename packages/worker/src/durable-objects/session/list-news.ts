import { FIXED_TIMES } from "@agent-ops/shared/limits";
import { z } from "zod";
import { logError } from "../../lib/log.ts";
import { memberSchema } from "./session-store.ts";
import type { Clock } from "./storage.ts";

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

/** What a session keeps of that: what was told, how often it had begun to run by then, and who may have it listed. */
const told = z.object({ look, runs: z.number(), listed: z.array(z.string()) });
type Told = z.infer<typeof told>;

type Tools = {
  clock: Clock;
  look(): Look;
  /** How often the session has begun to run. */
  runs(): number;
  /** What was told last, across restarts. */
  told: { get(): unknown; put(told: Told): void };
  /** Rejects where not all of them were reached. */
  tell(look: Look, gone: string[]): Promise<void>;
};

/** As many runs as no session had. */
const NOT_KNOWN = -1;
const LONGEST_WAIT_MS = 300_000;

/**
 * LIFE7, LIFE9: tells the members' lists of sessions how this one looks, and only where that is not what they were told last.
 * Of all that changes within a time they hear once.
 */
export class ListNews {
  #tools: Tools;
  /** What the lists show; undefined where that is not certain. */
  #shown: Look | undefined;
  #listed: string[];
  /** Who is kept as such across restarts. */
  #keptListed: string[];
  /** By how many runs this life began without knowing what was told. */
  #unknownAt: number | undefined;
  #due = Number.POSITIVE_INFINITY;
  #cancel = () => {};
  #telling: Promise<void> | undefined;
  #againMs: number = FIXED_TIMES.listsAgainMs;
  #isClosed = false;

  constructor(tools: Tools) {
    this.#tools = tools;
    const kept = told.safeParse(tools.told.get()).data;
    this.#shown = kept?.runs === tools.runs() ? kept.look : undefined;
    this.#listed = kept?.listed ?? namesOf(tools.look());
    this.#keptListed = kept?.listed ?? [];
    this.#unknownAt = this.#shown ? undefined : tools.runs();
    // What changed before the server went down may not be told yet, and those who were there may not be back.
    if (!this.#isTold()) this.within(this.#againMs);
  }

  /** Something may have changed that they are to hear of within this time. */
  within(ms: number): void {
    const at = this.#tools.clock.now() + ms;
    if (this.#isClosed || (ms > 0 && at >= this.#due)) return;
    this.#cancel();
    this.#due = at;
    if (ms > 0) this.#cancel = this.#tools.clock.after(ms, () => this.#onDue());
    else this.#onDue();
  }

  /** When nothing is being told any more. */
  async settled(): Promise<void> {
    await this.#telling;
  }

  /** Tells nothing any more; who may have it listed. */
  async close(): Promise<readonly string[]> {
    this.#isClosed = true;
    this.#cancel();
    await this.#telling;
    return this.#listed;
  }

  #onDue(): void {
    this.#due = Number.POSITIVE_INFINITY;
    this.#telling ??= this.#tellAll()
      .catch((error) => logError("what lists of sessions were told was not kept", error))
      .finally(() => {
        this.#telling = undefined;
      });
  }

  /** One telling at a time, so that what is told last is what is true. */
  async #tellAll(): Promise<void> {
    const goesOn = () => !this.#isClosed && this.#due === Number.POSITIVE_INFINITY && !this.#isTold();
    while (goesOn()) {
      if (await this.#tell()) this.#againMs = FIXED_TIMES.listsAgainMs;
      else {
        this.within(this.#againMs);
        this.#againMs = Math.min(2 * this.#againMs, LONGEST_WAIT_MS);
      }
    }
  }

  /** Says whether all of them heard it. */
  async #tell(): Promise<boolean> {
    const [now, runs] = [this.#tools.look(), this.#tools.runs()];
    const members = namesOf(now);
    const gone = this.#listed.filter((user) => !members.includes(user));
    this.#listed = [...members, ...gone];
    // Whoever may have heard of it must be known for the day they are no member any more.
    if (members.some((user) => !this.#keptListed.includes(user))) this.#keep(now, NOT_KNOWN);
    try {
      await this.#tools.tell(now, gone);
    } catch (error) {
      logError("lists of sessions were not told", error);
      this.#shown = undefined;
      this.#keep(now, NOT_KNOWN);
      return false;
    }
    this.#shown = now;
    this.#listed = members;
    // That it runs need not be kept, since its end is to be told in any case; but not each life is to tell it again.
    const isKept = now.status !== "running" || runs === this.#unknownAt;
    if (isKept) this.#keep(now, runs);
    return true;
  }

  #keep(now: Look, runs: number): void {
    if (this.#isClosed) return;
    this.#tools.told.put({ look: now, runs, listed: this.#listed });
    this.#keptListed = this.#listed;
  }

  #isTold(): boolean {
    return this.#shown !== undefined && JSON.stringify(this.#shown) === JSON.stringify(this.#tools.look());
  }
}

function namesOf({ members }: Look): string[] {
  return members.map(({ user }) => user);
}
