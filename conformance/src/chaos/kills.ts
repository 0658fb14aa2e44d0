import { existsSync } from "node:fs";
import { join } from "node:path";

/** What was killed when; a session's agent, or the runner host that keeps its files in a folder. */
type Kill = { at: number } & ({ agentOf: string } | { runnerIn: string } | { workerd: true });

/** An agent that died a moment ago may be given a prompt before its death is known. */
const NOTICED_MS = 2_000;
/** The clock of a server stands still while it works. */
const CLOCK_MS = 200;

type Span = { from: number; to: number };

/** Every kill of a process that works on turns. */
export class Kills {
  #all: Kill[] = [];

  agentOf(sessionId: string): void {
    this.#all.push({ at: Date.now(), agentOf: sessionId });
  }

  runnerIn(data: string): void {
    this.#all.push({ at: Date.now(), runnerIn: data });
  }

  workerd(): void {
    this.#all.push({ at: Date.now(), workerd: true });
  }

  /** Whether the runner or the agent of a session was killed at a time that a turn can have felt it. */
  hit(sessionId: string, { from, to }: Span): boolean {
    const isOf = (kill: Kill) =>
      "agentOf" in kill
        ? kill.agentOf === sessionId
        : "runnerIn" in kill && existsSync(join(kill.runnerIn, "workspaces", sessionId));
    return this.#all.some((kill) => kill.at >= from - NOTICED_MS && kill.at <= to + CLOCK_MS && isOf(kill));
  }

  /** Whether workerd was killed while the turn ran. */
  workerdDuring({ from, to }: Span): boolean {
    return this.#all.some((kill) => "workerd" in kill && kill.at >= from && kill.at <= to);
  }
}
